//! `loopctl calibrate`: thresholds certified from labels.

mod certificates;
mod coverage;
mod evidence;
pub(crate) mod labels;
mod oracle;
mod page;
