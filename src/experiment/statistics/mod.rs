//! Statistics of experiments: pure functions of counts and numbers, one to a file.

mod beta;
mod clopper_pearson;

pub(crate) use clopper_pearson::{Interval, clopper_pearson};
