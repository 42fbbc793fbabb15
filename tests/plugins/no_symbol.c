/* Holds a manifest and exports nothing. */
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("no_symbol"));

int something_else(void) { return (int)sizeof lc_manifest_blob; }
