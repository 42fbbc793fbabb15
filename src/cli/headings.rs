//! The headings under which flags are listed in help.

/// The heading of positional arguments: otherwise they would appear under the heading that was used last.
pub(super) const ARGUMENTS: &str = "Arguments";
pub(super) const PROFILE: &str = "Profile";
pub(super) const DOCUMENTS: &str = "Documents";
pub(super) const CALLS: &str = "Calls";
pub(super) const OUTPUT: &str = "Output";
