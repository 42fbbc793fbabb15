//! contrary
