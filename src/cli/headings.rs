//! Under which headings flags are listed in help.

/// Of what has no flag: otherwise it would stand under the heading that was used last.
pub(super) const ARGUMENTS: &str = "Arguments";
pub(super) const PROFILE: &str = "Profile";
pub(super) const DOCUMENTS: &str = "Documents";
pub(super) const CALLS: &str = "Calls";
pub(super) const OUTPUT: &str = "Output";
