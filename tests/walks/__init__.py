"""Three walks, recorded while they run: a withdrawal, an inbound authorization, an anonymous deposit."""
