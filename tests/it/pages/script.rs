//! The actions that a page asks for, read from its fences and comments.

/// The steps of a page, and the files it is given.
pub(super) struct Script {
    /// Files and folders of the repository, with the line that asks for them.
    pub(super) needs: Vec<(usize, String)>,
    pub(super) steps: Vec<Step>,
}

pub(super) struct Step {
    /// Line of the page, from 1.
    pub(super) line: usize,
    pub(super) action: Action,
}

pub(super) enum Action {
    /// Writes a file.
    Write { path: String, text: String },
    /// Replaces lines by others.
    Change { path: String, before: String, after: String },
    /// Runs a command.
    Run { command: String, shown: Vec<String>, status: i32 },
}

/// A fenced block.
struct Block<'a> {
    /// Line of its fence, from 1.
    line: usize,
    info: &'a str,
    lines: Vec<&'a str>,
    /// Its end is the end of the page.
    unended: bool,
}

impl Script {
    /// Reads a page.
    ///
    /// # Errors
    /// The mistake in the page itself, after its line: `7: …`.
    pub(super) fn read(page: &str) -> Result<Script, String> {
        let mut script = Script { needs: Vec::new(), steps: Vec::new() };
        let mut left_out = None;
        for part in parts(page) {
            match part {
                Part::Block(block) => script.block(&block, left_out.take().is_some())?,
                Part::Line(line, text) => {
                    left_out = None;
                    if let Some(needs) = comment(text, "needs:") {
                        script.needs.extend(needs.split_whitespace().map(|name| (line, name.to_owned())));
                    } else if let Some(why) = comment(text, "not run:") {
                        if why.is_empty() {
                            return Err(format!("{line}: say why the block is not run"));
                        }
                        left_out = Some(line);
                    }
                }
            }
        }
        Ok(script)
    }

    fn block(&mut self, block: &Block<'_>, left_out: bool) -> Result<(), String> {
        let line = block.line;
        let mut words = block.info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let mut file = None;
        for mark in words {
            match mark.split_once('=') {
                Some(("file", name)) => file = Some(name.to_owned()),
                Some(_) => return Err(format!("{line}: the mark `{mark}` is not known; there is `file=`")),
                None => {}
            }
        }
        if block.unended && (file.is_some() || language == "console") {
            return Err(format!("{line}: this block has no end"));
        }
        let action = match file {
            Some(path) if language == "diff" => {
                let (before, after) = sides(&block.lines);
                Action::Change { path, before, after }
            }
            Some(path) => Action::Write { path, text: joined(&block.lines) },
            None if language == "console" && !left_out => return self.console(block),
            None => return Ok(()),
        };
        self.steps.push(Step { line, action });
        Ok(())
    }

    fn console(&mut self, block: &Block<'_>) -> Result<(), String> {
        let mut lines = block.lines.iter().zip(block.line + 1..).peekable();
        let before = self.steps.len();
        while let Some((text, line)) = lines.next() {
            let Some(first) = text.strip_prefix("$ ") else {
                return Err(format!("{line}: output without a command; begin it with `$ `"));
            };
            let mut command = first.to_owned();
            while command.ends_with('\\')
                && let Some((more, _)) = lines.next()
            {
                command.push('\n');
                command.push_str(more);
            }
            let mut shown = Vec::new();
            while let Some((text, _)) = lines.next_if(|(text, _)| !text.starts_with("$ ")) {
                shown.push((*text).to_owned());
            }
            while shown.last().is_some_and(|text| text.is_empty()) {
                shown.pop();
            }
            let stated = shown.last().and_then(|text| text.strip_prefix("? ")?.trim().parse().ok());
            if stated.is_some() {
                shown.pop();
            }
            let action = Action::Run { command, shown, status: stated.unwrap_or(0) };
            self.steps.push(Step { line, action });
        }
        if self.steps.len() == before {
            return Err(format!("{}: a console block without a command", block.line));
        }
        Ok(())
    }
}

/// The content of a comment of that kind.
fn comment<'a>(line: &'a str, kind: &str) -> Option<&'a str> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    Some(inside.trim().strip_prefix(kind)?.trim())
}

/// The lines of a diff before and after it.
fn sides(lines: &[&str]) -> (String, String) {
    let side = |mark: char| -> String {
        let lines = lines.iter().filter_map(|line| match line.chars().next() {
            None => Some(""),
            Some(first) if first == ' ' || first == mark => line.get(1..),
            Some(_) => None,
        });
        lines.map(|line| format!("{line}\n")).collect()
    };
    (side('-'), side('+'))
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

enum Part<'a> {
    Line(usize, &'a str),
    Block(Block<'a>),
}

/// A page as lines of text and fenced blocks.
fn parts(page: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut lines = page.lines().zip(1..);
    while let Some((text, line)) = lines.next() {
        let Some(fence) = fence(text) else {
            parts.push(Part::Line(line, text));
            continue;
        };
        let indent = text.len() - text.trim_start().len();
        let info = text.trim_start().trim_start_matches(['`', '~']).trim();
        let mut block = Block { line, info, lines: Vec::new(), unended: true };
        for (text, _) in lines.by_ref() {
            let body = text.trim_start();
            if body.starts_with(fence) && body.trim_end().chars().all(|c| fence.starts_with(c)) {
                block.unended = false;
                break;
            }
            let spaces = text.len() - body.len();
            block.lines.push(text.get(spaces.min(indent)..).unwrap_or_default());
        }
        parts.push(Part::Block(block));
    }
    parts
}

/// The backticks or tildes that open a block.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let end = line.find(|c| c != mark).unwrap_or(line.len());
    let (fence, info) = line.split_at(end);
    (fence.len() >= 3 && !info.contains('`')).then_some(fence)
}

/// The lines of a page outside its blocks, with their numbers.
pub(super) fn without_blocks(page: &str) -> Vec<(usize, &str)> {
    parts(page)
        .into_iter()
        .filter_map(|part| match part {
            Part::Line(line, text) => Some((line, text)),
            Part::Block(_) => None,
        })
        .collect()
}
