//! Under which headings flags are listed in help.

pub(super) const PROFILE: &str = "Profile";
pub(super) const DOCUMENTS: &str = "Documents";
pub(super) const CALLS: &str = "Calls";
pub(super) const OUTPUT: &str = "Output";
