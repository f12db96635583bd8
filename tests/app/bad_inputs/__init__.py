"""Inputs that are wrong, by what they are an input to; `tests/app/test_bad_inputs.py` runs them."""
