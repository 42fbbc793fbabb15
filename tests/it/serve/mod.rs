//! `loopctl serve`, as browsers and programs have it.

mod pages;
mod running;
