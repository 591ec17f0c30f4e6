"""The n-ply search: settings, the cache, expansion in batches, and the ranking of plays."""
