"""References to what other states return: grammar, producers, lowering to `arg_bind`, following into data.

Source: Idem's argument binding.
"""
