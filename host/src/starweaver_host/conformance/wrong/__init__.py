"""Deliberately wrong providers: each breaks one guarantee, and the kit must say which.

They prove that a suite can turn red, and that it turns red at the right place. Not for use anywhere else.
"""
