//! The review desk, as a browser without its script sees it: pages and forms.

mod agreement;
mod cases;
mod decisions;
mod differ;
mod keyboard;
mod leases;
pub(crate) mod paged;
mod paged_in_a_browser;
mod played;
mod questions;
mod queue;
mod retyped;

use super::running::{Answer, Server};
use crate::workspace::{Ran, Workspace};
use serde_json::Value;
use std::path::Path;

/// The journal of the service.
const JOURNAL: &str = "data/journal.sqlite";

/// The report of which two values wait.
const THYROID: &str = "thyroid-resection";

/// A service whose journal has a run of the three reports of the repository, and two reviewers.
struct Desk {
    place: Workspace,
    server: Server,
    run: String,
    /// The tokens of the reviewers `anna` and `ben`.
    anna: String,
    ben: String,
}

/// Puts the reports of the repository into a workspace and runs them.
fn run_reports(place: &Workspace) -> Ran {
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports");
    for name in ["chest-x-ray", "liver-resection", "thyroid-resection"] {
        let name = format!("{name}.txt");
        place.write(&format!("reports/{name}"), std::fs::read(reports.join(&name)).unwrap());
    }
    place.run(&["run", "--quiet", "--profile", "clinical", "--journal", JOURNAL, "reports"])
}

/// A token of a name.
fn token(place: &Workspace, name: &str, role: &str) -> String {
    let added = place.run(&["serve", "token", "add", name, "--role", role, "--data", "data"]).exits(0);
    let token = added.out.split_whitespace().find(|word| word.starts_with("loopctl_"));
    token.unwrap_or_else(|| panic!("no token in {}", added.out)).to_owned()
}

/// The latest run of the journal.
fn latest_run(place: &Workspace) -> String {
    let runs = place.run_json(&["runs", "list", "--journal", JOURNAL, "--format", "json"]);
    let mut ids: Vec<String> =
        runs.as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids.pop().unwrap()
}

impl Desk {
    fn open() -> Self {
        let place = Workspace::new();
        run_reports(&place).exits(3);
        // Nothing is drawn, so that every run of the test sees the same documents.
        draw_none(&place);
        let server = Server::start(&place, &[]);
        let (anna, ben) = (token(&place, "anna", "review"), token(&place, "ben", "review"));
        let run = latest_run(&place);
        Desk { place, server, run, anna, ben }
    }

    /// The address of a document's page, or of something about it.
    fn address(&self, document: &str, what: &str) -> String {
        let what = if what.is_empty() { String::new() } else { format!("/{what}") };
        format!("/review/{}/{document}{what}", self.run)
    }

    fn get(&self, who: &str, path: &str) -> Answer {
        self.server.request("GET", path).token(who).header("Accept", "text/html").send()
    }

    /// The page of a document, which its reader then has.
    fn page(&self, who: &str, document: &str) -> String {
        self.get(who, &self.address(document, "")).is(200).text()
    }

    fn post(&self, who: &str, path: &str, form: &[(&str, &str)]) -> Answer {
        let body: Vec<String> =
            form.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
        self.server
            .request("POST", path)
            .token(who)
            .body("application/x-www-form-urlencoded", body.join("&").as_bytes())
            .send()
    }

    /// Sends a form of the page that the reviewer saw.
    fn send(&self, who: &str, page: &str, (document, what): (&str, &str), form: &[(&str, &str)]) -> Answer {
        let (shown, seen) = (hidden(page, "shown"), hidden(page, "seen"));
        let mut whole = vec![("shown", shown.as_str()), ("seen", seen.as_str()), ("spent_ms", "1200")];
        whole.extend_from_slice(form);
        self.post(who, &self.address(document, what), &whole)
    }

    /// Opens a document and decides about it.
    fn decide(&self, who: &str, document: &str, form: &[(&str, &str)]) -> Answer {
        let page = self.page(who, document);
        self.send(who, &page, (document, "decide"), form)
    }

    /// The document as the command line shows it.
    fn shown(&self, document: &str) -> Value {
        self.place.run_json(&["review", "show", document, "--journal", JOURNAL, "--format", "json"])
    }

    /// The number of decisions that are kept.
    fn decisions(&self) -> i64 {
        let journal = rusqlite::Connection::open(self.place.path(JOURNAL)).unwrap();
        journal.query_row("SELECT count(*) FROM reviews", [], |row| row.get(0)).unwrap()
    }
}

/// Turns drawing off for the runs of a journal, which was not served yet.
fn draw_none(place: &Workspace) {
    let journal = rusqlite::Connection::open(place.path(JOURNAL)).unwrap();
    let none =
        "INSERT INTO service_settings (name, value) VALUES ('review_shares', '{\"audit\":0,\"second\":0}')";
    journal.execute(none, []).unwrap();
}

/// The value of a hidden field of a page.
#[track_caller]
fn hidden(page: &str, name: &str) -> String {
    let from = format!("name=\"{name}\" value=\"");
    let rest = page.split(&from).nth(1).unwrap_or_else(|| panic!("no `{name}` on the page: {page}"));
    rest.split('"').next().unwrap().to_owned()
}

/// A page without its markup.
fn plain(page: &str) -> String {
    let parts = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect::<String>().replace(['\u{2068}', '\u{2069}'], "")
}

fn escaped(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let of = |byte: u8| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(of).collect()
}

/// A field of what the command line shows.
#[track_caller]
fn field<'s>(shown: &'s Value, name: &str) -> &'s Value {
    shown["fields"].as_array().unwrap().iter().find(|field| field["field"] == name).unwrap()
}
