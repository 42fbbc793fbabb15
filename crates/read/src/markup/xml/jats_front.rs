//! The front of an article in JATS, as named lines: title, authors, journal, dates, identifiers.

use super::super::flow::{FlowBlock, one_line};
use super::jats::{section, sections};
use super::running_text::running_text;
use super::tree::XmlElement;
use std::collections::HashMap;

/// The blocks of an article's front.
pub(super) fn read(article: &XmlElement) -> Vec<FlowBlock> {
    let mut front = FrontLines { blocks: Vec::new() };
    for holder in ["front", "front-stub"].iter().filter_map(|name| article.first(&[name])) {
        // A stub is its own description.
        let meta = holder.first(&["article-meta"]).unwrap_or(holder);
        front.title(meta);
        front.line("Article type", article.attribute("article-type").unwrap_or_default());
        let affiliations = affiliations_by_id(meta);
        for group in meta.all("contrib-group") {
            front.people(group, &affiliations);
        }
        front.affiliations(meta);
        if let Some(journal) = holder.first(&["journal-meta"]) {
            front.journal(journal);
        }
        front.description(meta);
    }
    front.blocks
}

struct FrontLines {
    blocks: Vec<FlowBlock>,
}

impl FrontLines {
    fn line(&mut self, label: &str, value: &str) {
        if !value.is_empty() {
            self.blocks.push(FlowBlock::line(format!("{label}: {value}")));
        }
    }

    fn text(&mut self, label: &str, element: Option<&XmlElement>) {
        if let Some(element) = element {
            self.line(label, &running_text(element, &["fn", "xref"]));
        }
    }

    fn title(&mut self, meta: &XmlElement) {
        let Some(group) = meta.first(&["title-group"]) else { return };
        if let Some(title) = group.first(&["article-title"]) {
            let title = running_text(title, &["fn", "xref"]);
            if !title.is_empty() {
                self.blocks.push(FlowBlock::Heading { level: 1, text: format!("Title: {title}") });
            }
        }
        self.text("Subtitle", group.first(&["subtitle"]));
        for translated in group.all("trans-title-group") {
            self.text("Translated title", translated.first(&["trans-title"]));
        }
    }

    /// Adds a line for each person or group: the name as it is spoken, then what else is known.
    fn people(&mut self, group: &XmlElement, affiliations: &HashMap<&str, &XmlElement>) {
        for person in group.all("contrib") {
            let role = match person.attribute("contrib-type") {
                None | Some("author") => "Author",
                Some("editor") => "Editor",
                Some(_) => "Contributor",
            };
            let holder = person.first(&["name-alternatives"]).unwrap_or(person);
            let name = holder.first(&["name"]).or_else(|| holder.first(&["string-name"]));
            let name = match name {
                Some(name) => spoken(name),
                None => match person.first(&["collab"]) {
                    Some(collab) => running_text(collab, &["contrib-group", "xref"]),
                    None => continue,
                },
            };
            let mut known = Vec::new();
            for id in person.all("contrib-id").filter(|id| id.attribute("contrib-id-type") == Some("orcid")) {
                let id = id.text();
                known.push(format!("ORCID {}", id.rsplit('/').next().unwrap_or(&id)));
            }
            let marks = person.all("xref").filter(|mark| mark.attribute("ref-type") == Some("aff"));
            let marks: Vec<String> = marks.map(|mark| affiliation_mark(mark, affiliations)).collect();
            let marks: Vec<&str> = marks.iter().map(String::as_str).filter(|mark| !mark.is_empty()).collect();
            if !marks.is_empty() {
                known.push(format!("affiliation {}", marks.join(", ")));
            }
            known.extend(person.all("email").map(XmlElement::text));
            let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join("; ")) };
            self.line(role, &format!("{name}{known}"));
        }
        for collab in group.all("collab") {
            self.text("Author", Some(collab));
        }
    }

    fn affiliations(&mut self, meta: &XmlElement) {
        for affiliation in affiliations_of(meta) {
            let label =
                affiliation.first(&["label"]).map(|label| running_text(label, &[])).unwrap_or_default();
            let text = if affiliation.has_text() {
                running_text(affiliation, &["label"])
            } else {
                let parts = affiliation.elements().filter(|part| part.name != "label");
                parts.map(|part| running_text(part, &[])).collect::<Vec<_>>().join(", ")
            };
            self.line("Affiliation", &one_line(&format!("{label} {text}")));
        }
    }

    fn journal(&mut self, journal: &XmlElement) {
        let title = journal.first(&["journal-title-group", "journal-title"]);
        self.text("Journal", title.or_else(|| journal.first(&["journal-title"])));
        for issn in journal.all("issn") {
            let kind = issn.attribute("pub-type").or_else(|| issn.attribute("publication-format"));
            let label = match kind {
                Some("epub" | "electronic" | "online") => "ISSN (online)",
                Some("ppub" | "print") => "ISSN (print)",
                Some(_) | None => "ISSN",
            };
            self.text(label, Some(issn));
        }
        self.text("Publisher", journal.first(&["publisher", "publisher-name"]));
    }

    fn description(&mut self, meta: &XmlElement) {
        for (name, label) in [("volume", "Volume"), ("issue", "Issue"), ("elocation-id", "Article number")] {
            self.text(label, meta.first(&[name]));
        }
        let page = |name: &str| meta.first(&[name]).map(XmlElement::text).filter(|page| !page.is_empty());
        match (page("fpage"), page("lpage")) {
            (Some(first), Some(last)) if first != last => self.line("Pages", &format!("{first}-{last}")),
            (Some(only), _) | (None, Some(only)) => self.line("Pages", &only),
            (None, None) => {}
        }
        self.dates(meta);
        for id in meta.all("article-id") {
            let label = match id.attribute("pub-id-type") {
                Some("doi") => "DOI",
                Some("pmid") => "PMID",
                Some("pmc" | "pmcid") => "PMCID",
                Some(_) | None => "Article ID",
            };
            self.text(label, Some(id));
        }
        let subjects: Vec<String> = meta.first(&["article-categories"]).map(subjects).unwrap_or_default();
        self.line("Subjects", &subjects.join("; "));
        for group in meta.all("kwd-group") {
            let keywords: Vec<String> = group.all("kwd").map(|word| running_text(word, &[])).collect();
            self.line("Keywords", &keywords.join("; "));
        }
        let funding = meta.first(&["funding-group"]);
        for statement in funding.into_iter().flat_map(|funding| funding.all("funding-statement")) {
            self.text("Funding", Some(statement));
        }
        for award in funding.into_iter().flat_map(|funding| funding.all("award-group")) {
            self.line("Award", &award.text());
        }
        if let Some(permissions) = meta.first(&["permissions"]) {
            self.text("Copyright", permissions.first(&["copyright-statement"]));
            for license in permissions.all("license") {
                self.text("License", Some(license));
            }
        }
        if let Some(notes) = meta.first(&["author-notes"]) {
            let mut blocks = Vec::new();
            sections(notes, 2, &mut blocks);
            self.blocks.extend(blocks);
        }
        for name in ["abstract", "trans-abstract"] {
            for part in meta.all(name) {
                if part.first(&["title"]).is_none() {
                    self.blocks.push(FlowBlock::Heading { level: 2, text: "Abstract".to_owned() });
                }
                section(part, 2, &mut self.blocks);
            }
        }
    }

    fn dates(&mut self, meta: &XmlElement) {
        for published in meta.all("pub-date") {
            let kind = published.attribute("pub-type").or_else(|| published.attribute("date-type"));
            let label = match kind {
                Some("collection") => "Issue date",
                Some("ppub") => "Published in print",
                Some(_) | None => "Published",
            };
            self.line(label, &date(published));
        }
        for event in meta.first(&["history"]).into_iter().flat_map(|history| history.all("date")) {
            let label = match event.attribute("date-type") {
                Some("received") => "Received",
                Some("accepted") => "Accepted",
                Some("rev-recd") => "Revised",
                Some(_) | None => "Date",
            };
            self.line(label, &date(event));
        }
    }
}

/// A name as it is spoken.
fn spoken(name: &XmlElement) -> String {
    let part = |wanted: &str| name.first(&[wanted]).map(|part| running_text(part, &[])).unwrap_or_default();
    let is_eastern = name.attribute("name-style") == Some("eastern");
    let (given, family) = (part("given-names"), part("surname"));
    let (first, second) = if is_eastern { (family, given) } else { (given, family) };
    let spoken = one_line(&format!("{} {first} {second} {}", part("prefix"), part("suffix")));
    if spoken.is_empty() { running_text(name, &[]) } else { spoken }
}

/// The affiliations of an article: its own, and those of groups of its authors.
fn affiliations_of(meta: &XmlElement) -> impl Iterator<Item = &XmlElement> {
    meta.all("aff").chain(meta.all("contrib-group").flat_map(|group| group.all("aff")))
}

/// The first affiliation with each id.
fn affiliations_by_id(meta: &XmlElement) -> HashMap<&str, &XmlElement> {
    let mut known = HashMap::new();
    for affiliation in affiliations_of(meta) {
        if let Some(id) = affiliation.attribute("id") {
            known.entry(id).or_insert(affiliation);
        }
    }
    known
}

/// The mark of an affiliation to which a person refers.
fn affiliation_mark(mark: &XmlElement, affiliations: &HashMap<&str, &XmlElement>) -> String {
    let own = mark.text();
    if !own.is_empty() {
        return own;
    }
    let affiliation = mark.attribute("rid").and_then(|id| affiliations.get(id));
    let label = affiliation.and_then(|affiliation| affiliation.first(&["label"]));
    label.map(XmlElement::text).unwrap_or_default()
}

/// The names of subjects, of groups in groups, too.
fn subjects(group: &XmlElement) -> Vec<String> {
    let mut found = Vec::new();
    for part in group.elements() {
        match part.name.as_str() {
            "subject" => found.push(running_text(part, &[])),
            "subj-group" => found.extend(subjects(part)),
            _ => {}
        }
    }
    found
}

/// A date as ISO 8601 has it, as far as it is known.
fn date(date: &XmlElement) -> String {
    let part = |name: &str| date.first(&[name]).map(XmlElement::text).filter(|part| !part.is_empty());
    let two = |part: &str| if part.len() == 1 { format!("0{part}") } else { part.to_owned() };
    match (part("year"), part("month"), part("day")) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{}-{}", two(&month), two(&day)),
        (Some(year), Some(month), None) => format!("{year}-{}", two(&month)),
        (Some(year), None, _) => match part("season") {
            Some(season) => format!("{season} {year}"),
            None => year,
        },
        (None, ..) => date.text(),
    }
}
