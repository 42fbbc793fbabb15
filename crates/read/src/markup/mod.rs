//! Markup: HTML pages and XML files, as what they show.
//!
//! [`flow`] is what both yield; [`markup_text`] and [`aligned_rows`] write it as text.

mod aligned_rows;
mod flow;
pub(super) mod html;
mod markup_text;
pub(super) mod markup_unread;
pub(super) mod xml;

use super::file_text;
use super::{MarkedPart, PartRole, Structure, Unreadable};
