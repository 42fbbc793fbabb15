//! Links from a page to pages, headings and files of the repository.

use super::script::without_blocks;
use regex::Regex;
use std::path::Path;

/// Links that lead nowhere, each with its location. Links to the web are not checked.
pub(super) fn broken_links(page: &str, text: &str, root: &Path) -> Vec<String> {
    let code = Regex::new("`+[^`]*`+").unwrap();
    let link = Regex::new(r"\]\(\s*<?([^)\s>]+)[^)]*\)|^\s*\[[^\]]+\]:\s*(\S+)").unwrap();
    let mut broken = Vec::new();
    for (line, written) in without_blocks(text) {
        let prose = code.replace_all(written, "");
        for found in link.captures_iter(&prose) {
            let target = found.get(1).or_else(|| found.get(2)).unwrap().as_str();
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path =
                if file.is_empty() { root.join(page) } else { root.join(page).parent().unwrap().join(file) };
            let there =
                if file.is_empty() { Some(text.to_owned()) } else { std::fs::read_to_string(&path).ok() };
            let leads = (file.is_empty() || path.exists())
                && (heading.is_empty()
                    || there.is_some_and(|text| headings(&text).contains(&heading.to_owned())));
            if !leads {
                broken.push(format!("{page}:{line}: `{target}` is not there"));
            }
        }
    }
    broken
}

/// The names under which the headings of a page can be linked to.
fn headings(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (_, line) in without_blocks(text) {
        let title = line.trim_start_matches('#');
        let depth = line.len() - title.len();
        if !(1..=6).contains(&depth) || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        names.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase());
    }
    let repeated = |(at, name): (usize, &String)| {
        let before = names[..at].iter().filter(|other| *other == name).count();
        if before == 0 { name.clone() } else { format!("{name}-{before}") }
    };
    names.iter().enumerate().map(repeated).collect()
}
