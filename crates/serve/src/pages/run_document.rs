//! A document of a run: each candidate with scores, issues, feedback and changes, what was decided and why.

use super::parts::{in_address, minute, money, outside, score, time};
use super::run::ended_words;
use crate::access::Identity;
use crate::explain::run::{self, CandidateStory, Line};
use crate::report::{
    Column, LinePlot, MOST_SERIES, Series, Tile, Tone, fact_list, facts, figure, page_table, thousands, tile,
    tile_list, word, words,
};
use crate::runs::{DocumentView, SECTION};
use crate::store::DocumentStage;
use crate::value::prose;
use maud::{Markup, html};

/// The page.
pub(crate) fn document(identity: &Identity, view: &DocumentView) -> Markup {
    let (run, id) = (&view.run.id, view.figures.id.as_str());
    let is_open =
        matches!(view.figures.stage, DocumentStage::Waiting | DocumentStage::Running | DocumentStage::Parked);
    let events = is_open.then(|| format!("/api/runs/{run}/events"));
    SECTION.page(
        id,
        identity,
        &["live.js"],
        &html! {
            p.crumbs { a href="/runs" { "Runs" } " / " a href=(format!("/runs/{run}")) { (run) } }
            h1 { (outside(id)) }
            (fact_list(&facts([
                ("Type", view.figures.document_type.clone()),
                ("Profile", view.story.profile.clone()),
                ("Run", format!("{} UTC", minute(&view.run.record.started_at))),
            ])))
            p { a.button href=(format!("/review/{run}/{}", in_address(id))) { "Open on the review desk" } }
            p.said #live-said role="status" {}
            div #live data-fragment=(format!("/runs/{run}/{}?fragment=1", in_address(id))) data-events=[events] { (document_part(view)) }
        },
    )
}

/// The part of the page that changes.
pub(crate) fn document_part(view: &DocumentView) -> Markup {
    html! {
        (tile_list(&at_a_glance(view)))
        (scores(view))
        @if !view.answered_by.is_empty() {
            section aria-labelledby="answered" {
                h2 #answered { "Answered by" }
                (page_table("Services and models that answered", &words("Asked by | Answered by"),
                    view.answered_by.iter().map(|(who, models)| vec![outside(who), outside(models)]).collect()))
            }
        }
        (told(&view.lines))
    }
}

fn at_a_glance(view: &DocumentView) -> Vec<Tile> {
    let figures = &view.figures;
    let Some(end) = &view.story.ended else {
        return vec![tile("State", ended_words(figures), "", Tone::Plain)];
    };
    let chosen = view.story.chosen.as_ref();
    let tone = match end.final_status {
        status if status.passes() => Tone::Good,
        crate::policy::FinalStatus::Failed => Tone::Bad,
        _ => Tone::Warn,
    };
    let (review, review_tone) = match view.story.review {
        Some(true) => ("yes", Tone::Warn),
        Some(false) => ("no", Tone::Plain),
        None => ("unknown", Tone::Plain),
    };
    let usage = end.usage;
    vec![
        tile("Ended", end.final_status.as_str().replace('_', " "), end.stop_reason.to_string(), tone),
        tile(
            "Score",
            score(figures.overall),
            chosen.map_or_else(
                || "no candidate was chosen".to_owned(),
                |chosen| format!("candidate {}", chosen.iteration),
            ),
            Tone::Plain,
        ),
        tile("Candidates", thousands(end.candidates as u64), "", Tone::Plain),
        match &view.decided {
            Some(decided) => tile("Review", decided.words(), "", Tone::Plain),
            None => tile("Needs review", review, "", review_tone),
        },
        tile(
            "Cost",
            money(usage.known_cost_usd.get(), usage.calls, usage.calls_of_unknown_cost),
            format!("{}, {}", prose::count(usage.calls, "call"), prose::count(usage.tokens, "token")),
            Tone::Plain,
        ),
        tile("Time", time(Some(end.elapsed_ms)), "", Tone::Plain),
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
        steps: candidates.iter().map(|one| format!("candidate {}", one.iteration)).collect(),
        series,
        bound: bound.map(|bound| (bound, format!("overall required: {bound}"))),
        range: (0.0, 1.0),
        written: &|value| format!("{value:.2}"),
        caption: "The numbers are below, with each candidate.",
    };
    html! {
        section aria-labelledby="scores-heading" {
            h2 #scores-heading { "Scores" }
            (plot.figure())
        }
    }
}

fn tone(tone: run::Tone) -> &'static str {
    match tone {
        run::Tone::Plain => "",
        run::Tone::Good => "good",
        run::Tone::Warn => "warn",
        run::Tone::Bad => "bad",
        run::Tone::Faint => "soft",
        run::Tone::Strong => "strong",
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
                let columns: Vec<Column> = (head.iter().enumerate())
                    .map(|(at, name)| if at > 0 && at < last { figure(name) } else { word(name) })
                    .collect();
                let rows = rows.iter().map(|row| row.iter().map(|cell| marked(cell)).collect()).collect();
                out.push(page_table("Scores", &columns, rows));
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
