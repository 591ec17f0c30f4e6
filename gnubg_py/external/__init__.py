"""gnubg's external players: the lines of the protocol, a server that answers, a player asked."""
