//! XML.
