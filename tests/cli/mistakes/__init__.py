"""Mistakes that newcomers make, each with what the command line answers."""
