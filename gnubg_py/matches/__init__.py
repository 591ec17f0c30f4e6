"""The analysis of whole matches: judgements, statistics, reports."""
