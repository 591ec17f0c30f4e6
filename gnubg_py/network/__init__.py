"""The neural leaf: encodings of a board, the model, weights files and the fast forward pass."""
