//! Rules, rubrics, patterns, prompts, examples and judges that do not do what they say (LC6).

use super::Subject;
use crate::diag::Problems;

/// Looks at what the policy decides about.
pub(super) fn look(_subject: Subject<'_>, _problems: &mut Problems) {}
