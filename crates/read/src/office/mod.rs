//! Office documents and e-mails: Word, OpenDocument, spreadsheets, RTF, and what of them is refused.
//!
//! [`package_reader`] tells the kinds of ZIP archives (`docx`, `xlsx`, `opendocument`) and opens them by [`office_package`];
//! [`flow_text`] and [`flow_table`] write what flows as text; [`ink`] and [`text_look`] tell what is seen of it.

pub(super) mod compound_file;
mod docx;
mod flow_table;
mod flow_text;
mod ink;
mod list_numbers;
pub(super) mod mail;
mod number_format;
mod office_package;
pub(super) mod office_unread;
mod opendocument;
mod package_kind;
mod package_links;
pub(super) mod package_reader;
pub(super) mod rtf;
mod symbol_fonts;
#[cfg(test)]
mod test_packages;
mod text_look;
mod xlsx;
mod xml_cursor;

use super::file_text;
use super::{MarkedPart, PartRole, Structure, Unreadable};
