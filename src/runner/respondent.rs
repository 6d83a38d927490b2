//! What the runner needs of a judge; [`crate::judge`]'s judges are respondents, and tests have their own.

use std::error::Error;

use crate::domain::{Completion, Fingerprint, JudgeName, JudgeRequest, Order, Pair, ReadVerdict, Usage};
use crate::judge::{Asking, Judge, JudgeKind};

/// Why a request cannot be made; nothing was asked.
pub type RequestError = Box<dyn Error + Send + Sync>;

/// Someone who can be asked.
pub trait Respondent: Sync {
    /// The name in every table.
    fn name(&self) -> &JudgeName;
    /// What kind of judge this is.
    fn kind(&self) -> JudgeKind;
    /// True where answering means a call to an endpoint. Calls go through the store; what is answered on this machine is
    /// asked afresh each time.
    fn is_call(&self, request: &JudgeRequest) -> bool;
    /// Hash of everything that can change an answer.
    fn fingerprint(&self) -> &Fingerprint;
    /// False for an item that this judge has nothing to say about; such items are outside planned.
    fn applies(&self, pair: &Pair) -> bool;
    /// The exact request. Pure: asked twice, it is the same.
    fn request(&self, pair: &Pair, order: Order, repeat: u32) -> Result<JudgeRequest, RequestError>;
    /// One try.
    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a>;
    /// What the completion says. Pure.
    fn read(&self, request: &JudgeRequest, completion: &Completion) -> ReadVerdict;
    /// What these tokens cost in US dollars, where the price is known.
    fn cost_usd(&self, usage: &Usage) -> Option<f64>;
}

impl Respondent for Judge {
    fn name(&self) -> &JudgeName {
        self.name()
    }

    fn kind(&self) -> JudgeKind {
        self.kind()
    }

    fn is_call(&self, request: &JudgeRequest) -> bool {
        self.is_call(request)
    }

    fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint()
    }

    fn applies(&self, pair: &Pair) -> bool {
        self.applies(pair)
    }

    fn request(&self, pair: &Pair, order: Order, repeat: u32) -> Result<JudgeRequest, RequestError> {
        Ok(self.request(pair, order, repeat)?)
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        Box::pin(self.ask(request))
    }

    fn read(&self, request: &JudgeRequest, completion: &Completion) -> ReadVerdict {
        self.read(request, completion)
    }

    fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        self.cost_usd(usage)
    }
}
