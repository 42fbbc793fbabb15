//! Passwords of PDF files: of users and of owners, for each kind of encryption.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use loopctl_core::document::Document;
use loopctl_core::value::DocumentId;
use loopctl_read::DocumentReader;

fn read(name: &str, passwords: &[&str]) -> Document {
    let file = format!("{}/../../tests/documents/pdf/{name}", env!("CARGO_MANIFEST_DIR"));
    let passwords = passwords.iter().map(|password| (*password).to_owned()).collect();
    let reader = DocumentReader::in_process().with_passwords(passwords);
    reader.document(DocumentId::new("x"), std::fs::read(file).unwrap())
}

#[test]
fn each_kind_of_encryption_opens_with_the_password_of_users_and_of_the_owner() {
    for (name, passwords) in [
        ("locked-rc4-40.pdf", &["view"][..]),
        ("locked-rc4-128.pdf", &["view", "master"]),
        ("locked-aes-256.pdf", &["view", "master"]),
        ("locked-umlauts.pdf", &["pässwört", "pa\u{308}sswo\u{308}rt"]),
    ] {
        for password in passwords {
            // The first one that opens the file is found among others.
            let document = read(name, &["wrong", password]);
            let text = document.text.unwrap_or_else(|why| panic!("{name} with {password}: {why}"));
            assert!(text.as_str().split_whitespace().count() > 10, "{name}");
        }
    }
}

#[test]
fn a_file_that_needs_a_password_says_how_to_give_it() {
    for name in ["locked-rc4-40.pdf", "locked-rc4-128.pdf", "locked-aes-256.pdf"] {
        let why = read(name, &[]).text.unwrap_err();
        assert_eq!(why.to_string(), "the document is a PDF that needs a password");
        assert!(why.help().contains("--password-file") && why.help().contains("LOOPCTL_PASSWORD"));
        let why = read(name, &["secret"]).text.unwrap_err().to_string();
        assert_eq!(why, "the document is a PDF that needs a password, and no given one opens it");
    }
}

#[test]
fn a_password_is_in_no_message_about_its_reader() {
    let reader = DocumentReader::in_process().with_passwords(vec!["secret".to_owned()]);
    assert!(!format!("{reader:?}").contains("secret"));
}
