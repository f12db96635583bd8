"""What a run carries out: the SLS of each target, compiled at its beginning and while it grows."""
