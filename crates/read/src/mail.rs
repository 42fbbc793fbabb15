//! E-mails (`.eml`): sender, recipients, date and subject, the text, and the names of attachments, which are not read.

use super::file_text::FileText;
use super::flow_text::{FlowBlock, FlowText};
use super::office_unread::OfficeFault;
use mail_parser::decoders::html::html_to_text;
use mail_parser::{Address, DateTime, Message, MessageParser, MimeHeaders, PartType};

/// The most bytes of a file that are searched for the fields of its head.
const LONGEST_HEAD: usize = 64 << 10;
/// The most attachments that are named.
const MOST_ATTACHMENTS: usize = 1_000;
/// Fields that programs write, and people who begin a text with `From:` do not.
const OF_PROGRAMS: [&str; 4] = ["mime-version", "message-id", "received", "return-path"];

/// Returns whether a file begins as an e-mail: with fields alone, up to a blank line, of which one names the sender and one
/// is a program's.
pub(super) fn is_mail(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(LONGEST_HEAD)).unwrap_or_default();
    let (mut is_from, mut is_of_program) = (false, false);
    for line in head.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        let name = line.split(|byte| *byte == b':').next().filter(|name| name.len() < line.len());
        let Some(name) = name.filter(|name| !name.is_empty() && name.iter().all(u8::is_ascii_graphic)) else {
            return false;
        };
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        is_from |= name == "from";
        is_of_program |= OF_PROGRAMS.contains(&name.as_str());
    }
    is_from && is_of_program
}

/// Reads an e-mail.
///
/// # Errors
/// When it is damaged, or has no text.
pub(super) fn read(bytes: &[u8]) -> Result<FileText, OfficeFault> {
    let message = MessageParser::default().parse(bytes).ok_or(OfficeFault::Damaged)?;
    let texts: Vec<String> = message.text_bodies().filter_map(|part| text_of(&part.body)).collect();
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Err(OfficeFault::NoText);
    }
    let mut flow = FlowText::default();
    flow.write(&[FlowBlock::Paragraph(head(&message))]);
    // Lines of a mail are its own: blank ones set its paragraphs apart.
    for text in &texts {
        flow.write_plain(text);
    }
    let attachments: Vec<String> = message.attachments().take(MOST_ATTACHMENTS).map(attachment).collect();
    flow.write(&[FlowBlock::Paragraph(attachments.join("\n"))]);
    flow.finish()
}

/// The text of a part.
fn text_of(body: &PartType<'_>) -> Option<String> {
    match body {
        PartType::Text(text) => Some(text.clone().into_owned()),
        PartType::Html(html) => Some(html_to_text(html)),
        PartType::Binary(_) | PartType::InlineBinary(_) | PartType::Message(_) | PartType::Multipart(_) => None,
    }
}

/// The fields of the head that people read, a line each.
fn head(message: &Message<'_>) -> String {
    let addresses = |address: Option<&Address<'_>>| address.map(addresses).unwrap_or_default();
    let fields = [
        ("From", addresses(message.from())),
        ("To", addresses(message.to())),
        ("Cc", addresses(message.cc())),
        ("Date", message.date().map(date).unwrap_or_default()),
        ("Subject", message.subject().unwrap_or_default().to_owned()),
    ];
    let lines = fields.iter().filter(|(_, value)| !value.trim().is_empty());
    lines.map(|(name, value)| format!("{name}: {}\n", value.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

fn addresses(address: &Address<'_>) -> String {
    let one = |one: &mail_parser::Addr<'_>| match (one.name(), one.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (Some(only), None) | (None, Some(only)) => only.to_owned(),
        (None, None) => String::new(),
    };
    address.iter().map(one).filter(|one| !one.is_empty()).collect::<Vec<_>>().join(", ")
}

fn date(date: &DateTime) -> String {
    date.to_rfc3339().replace('T', " ")
}

/// The name of an attachment, and its type.
fn attachment(part: &mail_parser::MessagePart<'_>) -> String {
    let kind = part.content_type().map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    let kind = kind.unwrap_or_else(|| "message".to_owned());
    match part.attachment_name() {
        Some(name) => format!("Attachment: {name} ({kind}, not read)"),
        None => format!("Attachment: {kind}, not read"),
    }
}
