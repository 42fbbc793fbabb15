//! `loopctl calibrate`: thresholds certified from labels.

mod certificates;
mod coverage;
mod labels;
mod oracle;
