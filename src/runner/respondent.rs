//! What the runner needs of a judge; [`crate::judge`]'s judges are respondents, and tests have their own.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;

use super::size::Size;
use crate::domain::{
    Completion, Fingerprint, Item, ItemId, JudgeName, JudgeRequest, Order, Pair, ReadVerdict, RequestKey, Usage,
};
use crate::judge::{Asking, CallError, Generator, Judge, JudgeKind, Price};

/// Why a request cannot be made; nothing was asked.
pub type RequestError = Box<dyn Error + Send + Sync>;

/// What can be asked about.
pub trait Subject: Sync {
    /// Its name, unique within a run.
    fn id(&self) -> &ItemId;
    /// True where asking decides nothing, since there is no difference to see (two responses of one text).
    fn is_identical(&self) -> bool;
}

impl Subject for Item {
    fn id(&self) -> &ItemId {
        &self.id
    }

    fn is_identical(&self) -> bool {
        false
    }
}

impl Subject for Pair {
    fn id(&self) -> &ItemId {
        &self.id
    }

    fn is_identical(&self) -> bool {
        self.is_identical()
    }
}

/// What is known of a respondent's calls before any is made.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Terms {
    /// Token limit of an answer.
    pub max_tokens: Option<u32>,
    /// Price; unknown where absent, never zero.
    pub price: Option<Price>,
    /// True where no call leaves this machine.
    pub is_local: bool,
}

impl Terms {
    /// The most that a call of this size can cost, in US dollars; 0 where price or limit is unknown, which a run with a
    /// budget of money refuses at its start.
    pub(super) fn worst_usd(&self, size: Size) -> f64 {
        let (Some(price), Some(output)) = (self.price, self.max_tokens) else { return 0.0 };
        (size.most as f64 * price.input + f64::from(output) * price.output) / 1e6
    }
}

/// A call under way: the request with its outcome.
pub type Sending = Pin<Box<dyn Future<Output = (JudgeRequest, Result<Completion, CallError>)> + Send>>;

/// Someone who can be asked.
pub trait Respondent: Sync {
    /// What it is asked about.
    type Item: Subject;
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
    fn applies(&self, item: &Self::Item) -> bool;
    /// The exact request. Pure: asked twice, it is the same.
    fn request(&self, item: &Self::Item, order: Order, repeat: u32) -> Result<JudgeRequest, RequestError>;
    /// The same request again, whose key is known by now.
    fn request_again(
        &self,
        item: &Self::Item,
        order: Order,
        repeat: u32,
        _key: RequestKey,
    ) -> Result<JudgeRequest, RequestError> {
        self.request(item, order, repeat)
    }
    /// The answer to a request that is no call ([`Respondent::is_call`]).
    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a>;
    /// One try of a call, as work that may be done on any thread; it gives the request back.
    fn send(&self, request: JudgeRequest) -> Sending;
    /// What these tokens cost in US dollars, where the price is known.
    fn cost_usd(&self, usage: &Usage) -> Option<f64>;
    /// Price and token limit of its calls.
    fn terms(&self) -> Terms;
}

/// A respondent whose completions say which of two responses is better.
pub trait Reader: Respondent {
    /// What the completion says. Pure. The request tells the place (item, order, repeat, key); its texts are left out.
    fn read(&self, request: &JudgeRequest, completion: &Completion) -> ReadVerdict;
}

impl Respondent for Judge {
    type Item = Pair;

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

    fn request_again(
        &self,
        pair: &Pair,
        order: Order,
        repeat: u32,
        key: RequestKey,
    ) -> Result<JudgeRequest, RequestError> {
        Ok(self.request_again(pair, order, repeat, key)?)
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        Box::pin(self.ask(request))
    }

    fn send(&self, request: JudgeRequest) -> Sending {
        let sending = self.send(request);
        Box::pin(sending)
    }

    fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        self.cost_usd(usage)
    }

    fn terms(&self) -> Terms {
        Terms { max_tokens: self.max_tokens(), price: self.price(), is_local: self.is_local() }
    }
}

impl Respondent for Generator {
    type Item = Item;

    fn name(&self) -> &JudgeName {
        self.name()
    }

    fn kind(&self) -> JudgeKind {
        JudgeKind::Endpoint
    }

    fn is_call(&self, _: &JudgeRequest) -> bool {
        true
    }

    fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint()
    }

    fn applies(&self, _: &Item) -> bool {
        true
    }

    /// The order means nothing here: it is the same request in both.
    fn request(&self, item: &Item, _: Order, repeat: u32) -> Result<JudgeRequest, RequestError> {
        Ok(self.request(item, repeat)?)
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        Box::pin(async { self.send(request.clone()).await.1 })
    }

    fn send(&self, request: JudgeRequest) -> Sending {
        let sending = self.send(request);
        Box::pin(sending)
    }

    fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        self.cost_usd(usage)
    }

    fn terms(&self) -> Terms {
        Terms { max_tokens: self.max_tokens(), price: self.price(), is_local: self.is_local() }
    }
}

impl Reader for Judge {
    fn read(&self, request: &JudgeRequest, completion: &Completion) -> ReadVerdict {
        self.read(request, completion)
    }
}
