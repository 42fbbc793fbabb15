//! How the numbers of the reliability loop change over time, and when somebody is told.
//!
//! - `measures`: the five numbers and their bounds, `series`: the same over time;
//! - `routes`: the page;
//! - `alerts`: when one goes to the wrong side of its bound, `webhook`: telling another service, `watch`: looking every half minute.

mod alerts;
mod measures;
mod routes;
mod series;
mod watch;
mod webhook;

pub(in crate::serve) use alerts::{AlertSettings, LAST_MESSAGE, SETTINGS};
pub(crate) use measures::{Measure, Side, Unit};
pub(in crate::serve) use routes::{TrendsView, routes};
pub(in crate::serve) use series::{Point, Step};
pub(in crate::serve) use watch::{LastMessage, look, watch};
pub(in crate::serve) use webhook::WebhookUrl;
