"""What a person or a program reads of ensue: results on stdout, progress and errors on stderr.

Everything here turns values of the model into text; nothing here runs states or reads a project.
Whatever is printed goes through the masker first. Every module is a door: the command line prints with them.
"""
