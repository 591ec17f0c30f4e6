"""The version of the program, from which the wheel takes its own."""

VERSION = "0.1.0"
