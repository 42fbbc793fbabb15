//! `loopctl calibrate`: thresholds certified from labels.

mod certificates;
mod coverage;
pub(crate) mod labels;
mod oracle;
mod page;
