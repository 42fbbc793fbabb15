/* A shared library of another kind. */
int something_else(void) { return 1; }
