web: {result: true, password: correct-horse-battery}
