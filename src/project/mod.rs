//! Projects on disk: what a new one holds, and what is added to it.
