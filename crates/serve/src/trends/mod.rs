//! The numbers of the reliability loop over time, and alerts about them.
//!
//! - `measures`: the five numbers and their bounds, `series`: the same over time;
//! - `routes`: the page;
//! - `alerts`: raised when one crosses its bound, `webhook`: notifies another service, `watch`: checks every half
//!   minute.

mod alerts;
mod measures;
mod routes;
mod series;
mod watch;
mod webhook;

pub(crate) use alerts::{AlertSettings, LAST_MESSAGE, SETTINGS};
pub(crate) use measures::{BoundSide, MeasureUnit, TrendMeasure};
pub(crate) use routes::{SECTION, TrendsView};
pub(crate) use series::{Point, TimeStep};
pub(crate) use watch::{LastMessage, look, watch};
pub(crate) use webhook::WebhookUrl;
