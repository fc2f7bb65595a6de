"""Checks of questions for which a language model is asked, in rounds."""
