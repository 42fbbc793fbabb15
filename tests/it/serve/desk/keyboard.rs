//! Ten documents are reviewed in a browser, by keyboard alone.

use super::super::browser::{Browser, ENTER, ESCAPE, TAB};
use super::super::running::Server;
use super::{JOURNAL, draw_none, field, latest_run};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::path::Path;

/// The widths of a desk and of a tablet.
const SIZES: [(&str, (u32, u32)); 2] = [("wide", (1280, 900)), ("tablet", (820, 1100))];

fn ten_reports() -> Workspace {
    let place = Workspace::new();
    let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports/thyroid-resection.txt");
    let report = std::fs::read_to_string(report).unwrap();
    for number in 0..10 {
        place.write(&format!("reports/report-{number}.txt"), format!("{report}\nCase {number}\n"));
    }
    place.run(&["run", "--quiet", "--profile", "clinical", "--journal", JOURNAL, "reports"]).exits(3);
    draw_none(&place);
    place
}

/// Returns whether the element of a selector has the focus.
fn is_focused(browser: &Browser, selector: &str) -> bool {
    browser.run(&format!("return document.activeElement.matches('{selector}')")) == json!(true)
}

/// Moves by Tab to the element of a selector.
#[track_caller]
fn tab_to(browser: &Browser, selector: &str) {
    for _ in 0..80 {
        if is_focused(browser, selector) {
            return;
        }
        browser.press(TAB);
    }
    panic!("`{selector}` is not reached by Tab");
}

/// Goes to a field by `j` and `k`.
#[track_caller]
fn go_to(browser: &Browser, name: &str) {
    let chosen = || browser.run("return document.querySelector('.desk-field[aria-current]').dataset.field");
    let count = browser.run("return document.querySelectorAll('.desk-field').length").as_u64().unwrap();
    for key in ["k", "j"] {
        for _ in 0..count {
            if chosen() == json!(name) {
                return;
            }
            browser.press(key);
        }
    }
    panic!("`{name}` is not reached; the last was {}", chosen());
}

/// Waits until a text is announced to users who see nothing.
fn said(browser: &Browser, text: &str) {
    browser.wait(&format!("document.querySelector('#said').textContent.includes({})", json!(text)));
}

/// Presses Enter when it counts: the page has been there for a moment by then.
fn enter(browser: &Browser) {
    browser.wait("document.querySelector('#desk')?.dataset.enter !== 'waits'");
    browser.press(ENTER);
}

#[test]
#[ignore = "long"]
fn ten_documents_are_reviewed_by_keyboard_alone() {
    let Some(browser) = Browser::start(&[]) else { return };
    let place = ten_reports();
    let server = Server::start(&place, &[]);
    browser.open(&format!("http://{}/login#token={}", server.address, server.token));
    browser.wait("location.pathname === '/'");
    browser.watch();
    browser.open(&format!("http://{}/review", server.address));
    for (name, size) in SIZES {
        browser.picture(&format!("queue-{name}"), size);
    }
    assert_eq!(browser.serious(), [""; 0]);
    tab_to(&browser, "tbody a");
    enter(&browser);
    browser.wait("document.querySelector('.desk-field[aria-current]')");
    assert_eq!(browser.serious(), [""; 0]);
    for (name, size) in SIZES {
        browser.picture(&format!("desk-{name}"), size);
    }
    let mut seen: Vec<Value> = Vec::new();
    for number in 0..10 {
        let address =
            browser.wait("document.querySelector('.desk-field[aria-current]') && location.pathname");
        assert!(!seen.contains(&address), "{address} twice");
        browser.wait("document.querySelector('#desk').dataset.enter === 'counts'");
        match number {
            // A value is edited; what is typed is no command.
            0 => {
                go_to(&browser, "margins");
                browser.press("g");
                said(&browser, "The document says: ");
                browser.press("e");
                browser.run("document.activeElement.select()");
                browser.press("jar");
                assert!(is_focused(&browser, "[name=after]"));
                browser.press(ESCAPE);
                browser.press("e");
                browser.run("document.activeElement.select()");
                browser.press("positive");
                enter(&browser);
                browser.wait("document.activeElement.matches('.desk-checked button')");
                browser.picture("checked", SIZES[0].1);
                assert_eq!(browser.serious(), [""; 0]);
                enter(&browser);
                said(&browser, "margins: edited");
            }
            1 => {
                go_to(&browser, "histology");
                browser.press("a");
                said(&browser, "histology: accepted");
                browser.press("u");
                said(&browser, "Undone: histology: accepted");
                go_to(&browser, "grade");
                browser.press("n");
                said(&browser, "grade: not in the document");
            }
            2 => {
                browser.press("m");
                browser.wait("document.activeElement.id === 'missed-field'");
                browser.press("date");
                browser.press(TAB);
                browser.press("2026-11-27");
                enter(&browser);
                browser.wait("document.activeElement.matches('.desk-checked button')");
                enter(&browser);
                said(&browser, "date: added");
            }
            3 => {
                browser.press("c");
                browser.wait("document.activeElement.matches('[name=comment]')");
                browser.press("a rare one");
                enter(&browser);
                said(&browser, "comment saved");
            }
            _ => {}
        }
        if number == 4 {
            browser.press("r");
            browser.wait("document.activeElement.id === 'reject-note'");
            browser.press("cut off");
            enter(&browser);
        } else {
            // A held Enter decides nothing.
            browser.run("for (let at = 0; at < 3; at++) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true, cancelable: true })); document.activeElement.dispatchEvent(new KeyboardEvent('keyup', { key: 'Enter', bubbles: true }))");
            browser.wait("document.querySelector('#desk').dataset.enter === 'counts'");
            assert_eq!(browser.run("return document.querySelector('.desk-confirm')"), Value::Null);
            enter(&browser);
            let asked = format!(
                "location.pathname !== {address} || document.activeElement.matches('.desk-confirm a[data-focus]')"
            );
            browser.wait(&asked);
            if is_focused(&browser, ".desk-confirm a[data-focus]") {
                if number == 5 {
                    browser.picture("confirm", SIZES[0].1);
                }
                tab_to(&browser, ".desk-confirm button");
                browser.wait("document.querySelector('#desk').dataset.enter === 'counts'");
                enter(&browser);
            }
        }
        browser.wait(&format!("location.pathname !== {address}"));
        seen.push(address);
    }
    browser.wait(
        "location.pathname === '/review' && document.body.innerText.includes('No documents are waiting here.')",
    );
    assert_eq!(browser.noted(), [""; 0]);
    let list = place.run_json(&["review", "list", "--journal", JOURNAL, "--format", "json"]);
    let states: Vec<&str> =
        list.as_array().unwrap().iter().map(|entry| entry["state"].as_str().unwrap()).collect();
    assert_eq!(states.iter().filter(|state| **state == "accepted").count(), 9, "{states:?}");
    assert_eq!(states.iter().filter(|state| **state == "rejected").count(), 1, "{states:?}");
    let of = |address: &Value| {
        let document = address.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        place.run_json(&["review", "show", &document, "--journal", JOURNAL, "--format", "json"])
    };
    let value = |address: &Value, name: &str| field(&of(address), name)["decisions"][0]["value"].clone();
    assert_eq!(value(&seen[0], "margins"), "positive");
    assert_eq!(value(&seen[2], "date"), "2026-11-27");
    assert_eq!(latest_run(&place), of(&seen[0])["run"]);
}

#[test]
#[ignore = "long"]
fn the_desk_can_be_looked_at_in_the_dark() {
    let Some(browser) = Browser::start(&["--force-dark-mode", "--blink-settings=preferredColorScheme=0"])
    else {
        return;
    };
    let place = ten_reports();
    let server = Server::start(&place, &[]);
    browser.open(&format!("http://{}/login#token={}", server.address, server.token));
    browser.wait("location.pathname === '/'");
    for (page, wait) in [
        ("review", "document.querySelector('tbody a')"),
        ("desk", "document.querySelector('.desk-field[aria-current]')"),
    ] {
        let run = latest_run(&place);
        let path = if page == "desk" { format!("/review/{run}/report-3") } else { "/review".to_owned() };
        browser.open(&format!("http://{}{path}", server.address));
        browser.wait(wait);
        for (name, size) in SIZES {
            browser.picture(&format!("{page}-dark-{name}"), size);
        }
        assert_eq!(browser.serious(), [""; 0]);
    }
}
