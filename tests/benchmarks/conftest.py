"""Lets the tests of every suite import the modules beside this file."""
