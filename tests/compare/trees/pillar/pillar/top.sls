base: {'*': [absent]}
