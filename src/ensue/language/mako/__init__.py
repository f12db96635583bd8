"""Mako with Salt's lookup of templates in the file roots. Importing anything here needs Mako."""
