//! Compiling: what is refused before the template engine sees it, and the counting that is added to what it makes.
//!
//! The engine's own operators can't be replaced, and `text ~ text`, forty times over, is a terabyte. So its instructions
//! are rewritten: before an operator reads its operands, they are counted.

use super::limits::{Limits, MAX_OPERATORS};
use super::meter::refused;
use super::{MAX_BLOCK_BYTES, long_block};
use minijinja::machinery::{
    CodeGenerator, Instruction, Instructions, Token, ast, parse, parse_expr, tokenize,
};
use minijinja::{Error, Value};
use std::collections::BTreeMap;

/// The filters that instructions are rewritten with. No template can name them.
pub(super) const CHARGE: &str = "count()";
pub(super) const NUMBER: &str = "number()";
pub(super) const RAW: &str = "raw()";
pub(super) const SETTLE: &str = "settle()";
pub(super) const SLICE: &str = "slice()";

/// Text of the template itself that is too short to be counted each time it is written: steps bound it.
const SHORT: usize = 64;

/// The instructions of a template or condition, with the counting in them.
pub(super) struct Compiled<'s> {
    pub(super) instructions: Instructions<'s>,
    pub(super) blocks: BTreeMap<&'s str, Instructions<'s>>,
}

pub(super) fn template<'s>(limits: Limits, name: &'s str, source: &'s str) -> Result<Compiled<'s>, Error> {
    check(limits, source, false)?;
    let tree = parse(source, name, Default::default())?;
    let mut generator = CodeGenerator::new(name, source);
    generator.compile_stmt(&tree);
    finish(generator)
}

pub(super) fn expression(limits: Limits, source: &str) -> Result<Compiled<'_>, Error> {
    check(limits, source, true)?;
    let tree: ast::Expr<'_> = parse_expr(source)?;
    let mut generator = CodeGenerator::new("condition", source);
    generator.compile_expr(&tree);
    finish(generator)
}

/// Refuses what must not reach the engine's compiler: it calls itself along chains, and computes what is constant.
pub(super) fn check(limits: Limits, source: &str, is_expression: bool) -> Result<(), Error> {
    if source.len() > limits.source_bytes {
        return Err(refused(format!("it has more than {} bytes", limits.source_bytes)));
    }
    // A condition is one block.
    if (is_expression && source.len() > MAX_BLOCK_BYTES) || (!is_expression && long_block(source).is_some()) {
        return Err(refused(format!("a block of it has more than {MAX_BLOCK_BYTES} bytes")));
    }
    let mut operators = 0;
    let mut block: Vec<Token<'_>> = Vec::new();
    for token in tokenize(source, is_expression, Default::default()) {
        // What can't be read is reported by the parser, with its location.
        let Ok((token, _)) = token else { return Ok(()) };
        match token {
            Token::TemplateData(_) | Token::VariableStart | Token::BlockStart => {
                operators = 0;
                block.clear();
                continue;
            }
            Token::VariableEnd | Token::BlockEnd => {
                multiplied_text(&block)?;
                continue;
            }
            _ => {}
        }
        operators += usize::from(is_operator(&token));
        if operators > MAX_OPERATORS {
            return Err(refused(format!("it has more than {MAX_OPERATORS} operators in one expression")));
        }
        block.push(token);
    }
    if is_expression { multiplied_text(&block) } else { Ok(()) }
}

fn is_operator(token: &Token<'_>) -> bool {
    matches!(
        token,
        Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::FloorDiv
            | Token::Pow
            | Token::Mod
            | Token::Tilde
            | Token::Eq
            | Token::Ne
            | Token::Gt
            | Token::Gte
            | Token::Lt
            | Token::Lte
            | Token::Pipe
            | Token::Dot
            | Token::BracketOpen
            | Token::Ident("or" | "and" | "not" | "in" | "is" | "if")
    )
}

/// Refuses a constant text or list beside `*`: it would be repeated when the template is compiled. One that is not
/// constant is refused when the template runs.
fn multiplied_text(block: &[Token<'_>]) -> Result<(), Error> {
    let is_text = |at: usize| matches!(block.get(at), Some(Token::Str(_) | Token::String(_)));
    let opens =
        |at: usize| matches!(block.get(at), Some(Token::ParenOpen | Token::BracketOpen | Token::BraceOpen));
    let closes = |at: usize| {
        matches!(block.get(at), Some(Token::ParenClose | Token::BracketClose | Token::BraceClose))
    };
    for at in block.iter().enumerate().filter_map(|(at, token)| matches!(token, Token::Mul).then_some(at)) {
        let (mut first, mut last) = (at, at);
        let mut depth = 0_usize;
        while let Some(before) = first.checked_sub(1) {
            first = before;
            depth = (depth + usize::from(closes(first))).saturating_sub(usize::from(opens(first)));
            if depth == 0 {
                break;
            }
        }
        while last + 1 < block.len() {
            last += 1;
            depth = (depth + usize::from(opens(last))).saturating_sub(usize::from(closes(last)));
            if depth == 0 {
                break;
            }
        }
        for operand in [first..at, at + 1..last + 1] {
            let group = block.get(operand.clone()).unwrap_or_default();
            // With a name in it, it is not constant.
            let has_name = group.iter().any(|token| match token {
                Token::Ident(name) => !matches!(*name, "or" | "and" | "not" | "in" | "is" | "if" | "else"),
                _ => false,
            });
            let has_many = operand.clone().any(is_text)
                || group.iter().any(|token| matches!(token, Token::Comma | Token::Colon));
            if has_many && !has_name {
                return Err(refused("`*` multiplies numbers only".to_owned()));
            }
        }
    }
    Ok(())
}

fn finish<'s>(generator: CodeGenerator<'s>) -> Result<Compiled<'s>, Error> {
    let (instructions, blocks) = generator.finish();
    let blocks = blocks.into_iter().map(|(name, block)| Ok((name, counted(&block)?)));
    Ok(Compiled { instructions: counted(&instructions)?, blocks: blocks.collect::<Result<_, Error>>()? })
}

/// A filter over the value on top of the stack.
fn apply(filter: &'static str) -> Instruction<'static> {
    Instruction::ApplyFilter(filter, Some(1), !0)
}

/// A filter over the two values on top of the stack, each by itself.
fn apply_to_both(filter: &'static str) -> Vec<Instruction<'static>> {
    vec![apply(filter), Instruction::Swap, apply(filter), Instruction::Swap]
}

/// The instructions, with those between them that count.
fn counted<'s>(instructions: &Instructions<'s>) -> Result<Instructions<'s>, Error> {
    let mut rewritten: Vec<(Instruction<'s>, u32)> = Vec::new();
    // The new position of each instruction, including what is done before it.
    let mut moved: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(instruction) = instructions.get(at) {
        moved.push(u32::try_from(rewritten.len()).unwrap_or(u32::MAX));
        let before = before(instruction)?;
        rewritten.extend(before.into_iter().map(|added| (added, at)));
        rewritten.push(match instruction {
            Instruction::Slice => (Instruction::ApplyFilter(SLICE, Some(4), !0), at),
            kept => (kept.clone(), at),
        });
        rewritten.extend(after(instruction).map(|added| (added, at)));
        at += 1;
    }
    let end = u32::try_from(rewritten.len()).unwrap_or(u32::MAX);
    let target = |old: u32| moved.get(old as usize).copied().unwrap_or(end);
    let mut result = Instructions::new(instructions.name(), instructions.source());
    for (mut instruction, old) in rewritten {
        match &mut instruction {
            Instruction::Iterate(to)
            | Instruction::Jump(to)
            | Instruction::JumpIfFalse(to)
            | Instruction::JumpIfFalseOrPop(to)
            | Instruction::JumpIfTrueOrPop(to)
            | Instruction::BuildMacro(_, to, _) => *to = target(*to),
            _ => {}
        }
        match (instructions.get_span(old), instructions.get_line(old)) {
            (Some(span), _) => result.add_with_span(instruction, span),
            (None, Some(line)) => result.add_with_line(instruction, u16::try_from(line).unwrap_or(u16::MAX)),
            (None, None) => result.add(instruction),
        };
    }
    Ok(result)
}

/// The instructions to run before an instruction, so that what it reads is counted.
fn before(instruction: &Instruction<'_>) -> Result<Vec<Instruction<'static>>, Error> {
    Ok(match instruction {
        Instruction::EmitRaw(text) if text.len() > SHORT => {
            vec![Instruction::LoadConst(Value::from(text.len())), apply(RAW), Instruction::DiscardTop]
        }
        Instruction::Mul => apply_to_both(NUMBER),
        Instruction::Add
        | Instruction::StringConcat
        | Instruction::Eq
        | Instruction::Ne
        | Instruction::Gt
        | Instruction::Gte
        | Instruction::Lt
        | Instruction::Lte
        | Instruction::In
        | Instruction::CompareAndPreserve(_) => apply_to_both(CHARGE),
        Instruction::UnpackList(_) => vec![apply(CHARGE)],
        // The namespace is on top of what is put into it.
        Instruction::SetAttr(_) => vec![Instruction::Swap, apply(CHARGE), Instruction::Swap],
        Instruction::UnpackLists(_) | Instruction::MergeKwargs(_) => {
            return Err(refused("arguments can't be unpacked with `*` or `**`: write them out".to_owned()));
        }
        Instruction::Include(_) | Instruction::LoadBlocks | Instruction::ExportLocals => {
            return Err(refused("a template can't include or extend another".to_owned()));
        }
        _ => Vec::new(),
    })
}

/// The instruction to run on what an instruction made.
fn after(instruction: &Instruction<'_>) -> Option<Instruction<'static>> {
    match instruction {
        // Lists that are joined are not made until they are read.
        Instruction::Add => Some(apply(SETTLE)),
        Instruction::BuildList(_) | Instruction::BuildMap(_) | Instruction::BuildTuple(_) => {
            Some(apply(CHARGE))
        }
        _ => None,
    }
}
