//! E-mails (`.eml`): sender, recipients, date and subject, the text, and the names of attachments, which are not read.

use super::file_text::FileText;
use super::flow_text::{FlowBlock, FlowText};
use super::office_unread::OfficeFault;
use crate::markup::html;

use mail_parser::{Address, DateTime, Message, MessageParser, MimeHeaders, PartType};

/// The most bytes of a file that are searched for the fields of its head.
const LONGEST_HEAD: usize = 64 << 10;
/// The most fields that say that a part is a message.
const MOST_MESSAGES: usize = 500;
const CONTENT_TYPE: &[u8] = b"content-type";
/// The most attachments that are named.
const MOST_ATTACHMENTS: usize = 1_000;
/// Fields that programs write, and people who begin a text with `From:` do not.
const OF_PROGRAMS: [&str; 4] = ["mime-version", "message-id", "received", "return-path"];

/// Returns whether a file begins as an e-mail: with fields alone, up to a blank line, of which one names the sender and one
/// is a program's.
pub(crate) fn is_mail(bytes: &[u8]) -> bool {
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

/// Returns whether a file has more messages in one another than a parser that calls itself for each should be given.
fn is_deep(bytes: &[u8]) -> bool {
    let is_field = |line: &&[u8]| {
        let start = line.get(..CONTENT_TYPE.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(CONTENT_TYPE) || line.starts_with(b" ") || line.starts_with(b"\t")
    };
    let holds_messages = |line: &&[u8]| {
        let has = |word: &[u8]| line.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
        has(b"message") || has(b"digest")
    };
    bytes.split(|byte| *byte == b'\n').filter(is_field).filter(holds_messages).nth(MOST_MESSAGES).is_some()
}

/// Reads an e-mail.
///
/// # Errors
/// When it is damaged, holds too many other messages, or has no text.
pub(crate) fn read(bytes: &[u8]) -> Result<FileText, OfficeFault> {
    if is_deep(bytes) {
        return Err(OfficeFault::TooLong);
    }
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
        // As a page of its own: what it hides is not read.
        PartType::Html(page) => html::read(page).ok().map(|read| read.text),
        PartType::Binary(_) | PartType::InlineBinary(_) | PartType::Message(_) | PartType::Multipart(_) => {
            None
        }
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
    lines
        .map(|(name, value)| format!("{name}: {}\n", value.split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::office::test_packages::{read_any, refusal};
    use proptest::prelude::*;

    const HEAD: &str = "Return-Path: <lab@example.org>\r\nFrom: =?utf-8?Q?J=C3=B6rg?= Miller <lab@example.org>\r\nTo: a@example.org,\r\n b@example.org\r\nDate: Sat, 17 Aug 2024 13:45:00 +0200\r\nSubject: =?iso-8859-1?B?R3L232U=?= of the\r\n tumour\r\nMIME-Version: 1.0\r\n";

    fn text(rest: &str) -> String {
        crate::office::test_packages::read(format!("{HEAD}{rest}").into_bytes()).unwrap().text
    }

    #[test]
    fn a_mail_is_its_head_its_text_and_the_names_of_its_attachments() {
        let body = "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: multipart/alternative; boundary=C\r\n\r\n--C\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=F6=DFe: 4.6 cm=\r\n, free.\r\n\r\nBye\r\n--C\r\nContent-Type: text/html\r\n\r\n<p>HTML</p>\r\n--C--\r\n--B\r\nContent-Type: application/pdf; name=\"report.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--B--\r\n";
        insta::assert_snapshot!(text(body), @"
        From: Jörg Miller <lab@example.org>
        To: a@example.org, b@example.org
        Date: 2024-08-17 13:45:00+02:00
        Subject: Größe of the tumour

        Größe: 4.6 cm, free.

        Bye

        Attachment: report.pdf (application/pdf, not read)
        ");
    }

    #[test]
    fn texts_are_decoded_by_the_code_page_that_they_name() {
        let own = text(
            "Content-Type: text/plain; charset=shift_jis\r\nContent-Transfer-Encoding: base64\r\n\r\nk/qWew==\r\n",
        );
        assert!(own.ends_with("\n\n日本\n"), "{own:?}");
    }

    #[test]
    fn a_mail_of_html_alone_gives_its_text() {
        let own = text(
            "Content-Type: text/html; charset=utf-8\r\n\r\n<html><body><p>Size: 4&nbsp;cm</p></body></html>\r\n",
        );
        assert!(own.ends_with("Size: 4\u{a0}cm\n") || own.ends_with("Size: 4 cm\n"), "{own:?}");
    }

    #[test]
    fn a_text_that_begins_like_a_letter_is_no_mail() {
        assert!(is_mail(format!("{HEAD}\r\nx").as_bytes()));
        assert!(is_mail(b"Received: x\nFrom: a@example.org\n\n"));
        for other in [
            "From: Dr. Miller\nTo: Dr. Smith\nDate: 3 May\n\nMargins free.",
            "Dear Dr. Smith,\nFrom: a\nReceived: today\n",
            "Patient: A\nReceived: 3 May\n\n",
            "From: A\nPatient name: B\nReceived: 3 May\n",
            "",
        ] {
            assert!(!is_mail(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_mail_without_text_is_refused() {
        let why = refusal(format!("{HEAD}Content-Type: application/pdf\r\n\r\n%PDF").into_bytes());
        assert!(why.starts_with("the document is an e-mail that shows no text"), "{why}");
    }

    #[test]
    fn messages_in_messages_without_end_are_refused() {
        let nested = format!("{HEAD}Content-Type: message/rfc822\r\n\r\n").repeat(10_000);
        let why = refusal(nested.into_bytes());
        assert!(why.starts_with("the document is an e-mail with more text, or deeper in itself"), "{why}");
    }

    proptest! {
        #[test]
        fn a_damaged_mail_is_read_or_refused(rest in "(Content-Type: (multipart/mixed; boundary=B|text/(plain|html)|message/rfc822)\r\n)?(Content-Transfer-Encoding: (base64|quoted-printable)\r\n)?[-B=\r\n<>&a-z:; ]{0,80}") {
            read_any(format!("{HEAD}{rest}").as_bytes());
        }
    }
}
