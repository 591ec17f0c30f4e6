"""Tests of work on the processes of a cluster."""
