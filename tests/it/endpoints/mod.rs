//! Judges behind endpoints, asked in both ways that the one client knows: the short one to this machine, and the one to any server.
//! The same tests hold for both.

#![allow(clippy::duplicate_mod, reason = "the same tests for both ways is what is wanted")]
mod local;
mod remote;

use tribunal::judge::HttpClient;

/// The client with its short way, and the one without.
pub fn both_ways() -> [(&'static str, HttpClient); 2] {
    [("local", local::client()), ("remote", remote::client())]
}
