//! A document of a run: each candidate with scores, issues, feedback and changes, what was decided and why.

use super::layout::{NavSection, page};
use super::parts::{Tile, in_address, minute, money, outside, score, table, tiles, time};
use super::plot::{LinePlot, MOST_SERIES, Series};
use super::run::ended;
use crate::access::Identity;
use crate::explain::run::{CandidateStory, Line, Tone};
use crate::report::thousands;
use crate::runs::DocumentView;
use crate::store::DocumentStage;
use crate::value::prose;
use maud::{Markup, html};

/// The page.
pub(crate) fn document(identity: &Identity, view: &DocumentView) -> Markup {
    let (run, id) = (&view.run.id, view.figures.id.as_str());
    let is_open =
        matches!(view.figures.stage, DocumentStage::Waiting | DocumentStage::Running | DocumentStage::Parked);
    let events = is_open.then(|| format!("/api/runs/{run}/events"));
    page(
        id,
        identity,
        NavSection::Runs,
        &["live.js"],
        &html! {
            p.crumbs { a href="/runs" { "Runs" } " / " a href=(format!("/runs/{run}")) { (run) } }
            h1 { (outside(id)) }
            dl.facts {
                div { dt { "Type" } dd { (outside(&view.figures.document_type)) } }
                div { dt { "Profile" } dd { (outside(&view.story.profile)) } }
                div { dt { "Run" } dd { (minute(&view.run.record.started_at)) " UTC" } }
            }
            p { a.button href=(format!("/review/{run}/{}", in_address(id))) { "Open on the review desk" } }
            p.said #live-said role="status" {}
            div #live data-fragment=(format!("/runs/{run}/{}?fragment=1", in_address(id))) data-events=[events] { (document_part(view)) }
        },
    )
}

/// The part of the page that changes.
pub(crate) fn document_part(view: &DocumentView) -> Markup {
    html! {
        (tiles(&at_a_glance(view)))
        (scores(view))
        @if !view.answered_by.is_empty() {
            section aria-labelledby="answered" {
                h2 #answered { "Who answered" }
                (table("Services and models by who asked", &[("Asked by", false), ("Answered by", false)],
                    &view.answered_by.iter().map(|(who, models)| vec![outside(who), outside(models)]).collect::<Vec<_>>()))
            }
        }
        (told(&view.lines))
    }
}

fn at_a_glance(view: &DocumentView) -> Vec<Tile> {
    let tile = |name, value, note, class| Tile { name, value, note, class };
    let figures = &view.figures;
    let Some(end) = &view.story.ended else {
        let value = ended(figures).into_string();
        let plain =
            value.split('>').nth(2).and_then(|rest| rest.split('<').next()).unwrap_or_default().to_owned();
        return vec![tile("State", plain, String::new(), "")];
    };
    let chosen = view.story.chosen.as_ref();
    let class = match end.final_status {
        status if status.passes() => "passed",
        crate::policy::FinalStatus::Failed => "failed",
        _ => "review",
    };
    let review = match view.story.review {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    };
    let usage = end.usage;
    vec![
        tile("Ended", end.final_status.as_str().replace('_', " "), end.stop_reason.to_string(), class),
        tile(
            "Score",
            score(figures.overall),
            chosen.map_or_else(
                || "no candidate was chosen".to_owned(),
                |chosen| format!("candidate {}", chosen.iteration),
            ),
            "",
        ),
        tile("Candidates", thousands(end.candidates as u64), String::new(), ""),
        match &view.decided {
            Some(decided) => tile("Review", decided.words(), String::new(), ""),
            None => tile(
                "Needs review",
                review.to_owned(),
                String::new(),
                if review == "yes" { "review" } else { "" },
            ),
        },
        tile(
            "Cost",
            money(usage.known_cost_usd.get(), usage.calls, usage.calls_of_unknown_cost),
            format!("{}, {}", prose::count(usage.calls, "call"), prose::count(usage.tokens, "token")),
            "",
        ),
        tile("Time", time(Some(end.elapsed_ms)), String::new(), ""),
    ]
}

/// Scores by candidate, where there is more than one.
fn scores(view: &DocumentView) -> Markup {
    let candidates: Vec<&CandidateStory> =
        view.story.candidates.iter().filter(|candidate| candidate.overall.is_some()).collect();
    if candidates.len() < 2 {
        return html! {};
    }
    let mut names: Vec<&str> = Vec::new();
    for one in candidates.iter().flat_map(|candidate| &candidate.dimensions) {
        if !names.contains(&&*one.dimension) && &*one.dimension != "overall" {
            names.push(&one.dimension);
        }
    }
    let of = |candidate: &CandidateStory, name: &str| {
        candidate.dimensions.iter().find(|one| &*one.dimension == name).and_then(|one| one.score)
    };
    let mut series = vec![Series {
        name: "overall".to_owned(),
        values: candidates.iter().map(|one| one.overall).collect(),
    }];
    series.extend(names.iter().take(MOST_SERIES - 1).map(|name| Series {
        name: (*name).to_owned(),
        values: candidates.iter().map(|candidate| of(candidate, name)).collect(),
    }));
    let acceptance = candidates.iter().flat_map(|candidate| &candidate.acceptance);
    let bound = acceptance.clone().find(|one| one.line == "accept.overall").map(|one| one.bound);
    let plot = LinePlot {
        id: "scores",
        alt: format!("Scores of {} candidates.", candidates.len()),
        places: candidates.iter().map(|one| format!("candidate {}", one.iteration)).collect(),
        series,
        bound: bound.map(|bound| (bound, format!("overall asked for: {bound}"))),
        range: (0.0, 1.0),
        written: |value| format!("{value:.2}"),
    };
    html! {
        section aria-labelledby="scores-heading" {
            h2 #scores-heading { "Scores" }
            figure { (plot.svg()) figcaption { "Each candidate below has them in numbers." } }
        }
    }
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => "good",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
        Tone::Faint => "soft",
        Tone::Strong => "strong",
    }
}

/// The story, of which each heading begins a section. The title is the page's.
fn told(lines: &[Line]) -> Markup {
    let mut sections: Vec<(&str, &[Line])> = Vec::new();
    let starts: Vec<usize> = (lines.iter().enumerate())
        .filter(|(_, line)| matches!(line, Line::Heading(_)))
        .map(|(at, _)| at)
        .collect();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(lines.len());
        if let (Some(Line::Heading(heading)), Some(rest)) = (lines.get(*start), lines.get(start + 1..end)) {
            sections.push((heading, rest));
        }
    }
    html! {
        @for (number, (heading, lines)) in sections.iter().enumerate() {
            @let id = format!("part-{number}");
            section.told aria-labelledby=(id) {
                h2 id=(id) { (marked(heading)) }
                (blocks(lines))
            }
        }
    }
}

/// Lines of a section: items that follow each other are a list.
fn blocks(lines: &[Line]) -> Markup {
    let mut rest = lines;
    let mut out: Vec<Markup> = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            Line::Title(text) | Line::Heading(text) | Line::Part(text) => {
                out.push(html! { h3 { (marked(text)) } })
            }
            Line::Text(how, text) => out.push(html! { p class=(tone(*how)) { (marked(text)) } }),
            Line::Table(head, rows) => {
                let last = head.len().saturating_sub(1);
                let head: Vec<(&str, bool)> =
                    head.iter().enumerate().map(|(at, name)| (*name, at > 0 && at < last)).collect();
                let rows: Vec<Vec<Markup>> =
                    rows.iter().map(|row| row.iter().map(|cell| marked(cell)).collect()).collect();
                out.push(table("Scores", &head, &rows));
            }
            Line::Verbatim(texts) => out.push(html! { pre tabindex="0" { (outside(&texts.join("\n"))) } }),
            Line::Item(..) | Line::Under(..) => {
                let is_item = |line: &Line| matches!(line, Line::Item(..) | Line::Under(..));
                let count = after.iter().take_while(|line| is_item(line)).count();
                let (items, left) = after.split_at(count);
                rest = left;
                out.push(list(std::iter::once(first).chain(items)));
            }
        }
    }
    html! { @for block in out { (block) } }
}

fn list<'l>(lines: impl Iterator<Item = &'l Line>) -> Markup {
    let mut items: Vec<(Markup, Vec<Markup>)> = Vec::new();
    for line in lines {
        match line {
            Line::Under(how, text) => {
                let under = html! { span class=(tone(*how)) { (marked(text)) } };
                match items.last_mut() {
                    Some((_, below)) => below.push(under),
                    None => items.push((under, Vec::new())),
                }
            }
            Line::Item(how, text) => {
                items.push((html! { span class=(tone(*how)) { (marked(text)) } }, Vec::new()));
            }
            _ => {}
        }
    }
    html! {
        ul {
            @for (item, below) in items {
                li { (item) @if !below.is_empty() { ul.soft { @for one in below { li { (one) } } } } }
            }
        }
    }
}

/// Text with names between backticks, which mark code where they are paired.
pub(crate) fn marked(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    let is_paired = parts.len() % 2 == 1;
    html! {
        @if is_paired {
            @for (at, part) in parts.iter().enumerate() {
                @if at % 2 == 1 { code { (outside(part)) } } @else { (outside(part)) }
            }
        } @else { (outside(text)) }
    }
}
