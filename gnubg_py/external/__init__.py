"""gnubg's external players: the lines of the protocol, a server, and players at other addresses."""
