'use strict';
(function () {
  var root = document.documentElement;
  var theme = document.getElementById('theme');
  theme.hidden = false;
  theme.addEventListener('click', function () {
    var now = root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  });
  // What is folded away on a screen is wanted on paper.
  var folded = [];
  addEventListener('beforeprint', function () {
    folded = Array.from(document.querySelectorAll('details.numbers:not([open])'));
    folded.forEach(function (node) { node.open = true; });
  });
  addEventListener('afterprint', function () { folded.forEach(function (node) { node.open = false; }); });

  var host = document.getElementById('browser');
  if (!host) return;
  if (typeof DecompressionStream !== 'function') {
    document.getElementById('no-stream').hidden = false;
    return;
  }
  function unpack(id) {
    var letters = atob(document.getElementById(id).textContent), bytes = new Uint8Array(letters.length);
    for (var i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    var plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(plain).text().then(JSON.parse);
  }
  host.dataset.state = 'loading';
  unpack('verdicts').then(browse);

  function browse(data) {
    var w = data.words, PAGE = 25, N = data.ids.length, columns = data.columns;
    var texts = null, hay = null;
    var state = { filter: 'all', judge: -1, category: '', label: '', query: '', sort: 'set', mark: true, page: 0, at: 0, open: new Set() };
    var set = Array.from({ length: N }, function (_, i) { return i; }), found = set;

    // Every text goes in as a text node; nothing here can make markup of it.
    function el(tag, cls, text) {
      var node = document.createElement(tag);
      if (cls) node.className = cls;
      if (text !== undefined && text !== null) node.textContent = text;
      return node;
    }
    function add(parent) {
      for (var i = 1; i < arguments.length; i++) if (arguments[i]) parent.appendChild(arguments[i]);
      return parent;
    }
    function fill(pattern, value) { return pattern.split('{}').join(value); }
    function number(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ','); }
    function category(i) { return data.category[i] < 0 ? '' : data.categories[data.category[i]]; }
    function side(letter) { return letter === 't' ? w.tie : letter === '-' ? '' : letter.toUpperCase(); }
    function outcome(c, i) { var at = c.outcome.charCodeAt(i) - 65; return at < 0 ? null : data.outcomes[at]; }
    function flips(name) { return name === 'flip_first' || name === 'flip_second' || name === 'inconsistent'; }

    var names = data.outcomes.map(function (pair) { return pair[0]; });
    var isFlip = names.map(flips), isNone = names.map(function (name) { return name === 'no_verdict'; });
    var tests = {
      flips: function (c, i) { return isFlip[c.outcome.charCodeAt(i) - 65] === true; },
      disagree: function (c, i) { return c.agrees[i] === 'n'; },
      none: function (c, i) { return isNone[c.outcome.charCodeAt(i) - 65] === true; },
      all: function (c, i) { return c.outcome[i] !== '-'; }
    };
    var order = ['flips', 'disagree', 'none'];
    function urgency(i) {
      var least = 3;
      columns.forEach(function (c) {
        for (var k = 0; k < least; k++) if (tests[order[k]](c, i)) { least = k; break; }
      });
      return least;
    }
    function said(t) {
      return t.v.reduce(function (all, both) {
        [both && both.ab, both && both.ba].forEach(function (s) { if (s) all.push(s.t, s.h, s.w); });
        return all;
      }, []);
    }
    function lower(list) { return list.filter(Boolean).join('\n').toLowerCase(); }
    function haystack(i) {
      if (hay[i] === undefined) {
        var t = texts && texts.get(i);
        hay[i] = lower([data.ids[i], category(i)].concat(t ? [t.g, t.p, t.a, t.b, t.why, t.ma, t.mb].concat(said(t)) : []));
      }
      return hay[i];
    }
    function matches(i) {
      if (state.category !== '' && data.category[i] !== Number(state.category)) return false;
      if (state.label !== '' && data.gold[i] !== state.label) return false;
      if (state.filter === 'texts' && !(texts && texts.has(i))) return false;
      var test = tests[state.filter] || tests.all;
      if ((test !== tests.all || state.judge >= 0) &&
        !columns.some(function (c) { return (state.judge < 0 || c.judge === state.judge) && test(c, i); })) return false;
      return !state.query || haystack(i).indexOf(state.query) >= 0;
    }
    var keys = {
      telling: urgency,
      category: function (i) { return data.category[i] < 0 ? data.categories.length : data.category[i]; },
      label: function (i) { return 'abt-'.indexOf(data.gold[i]); }
    };

    // What differs between two texts, by words and single CJK signs: the longest common run of both stays plain.
    var MOST = 1600, cjk = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}';
    var word = new RegExp('[' + cjk + ']|\\s+|(?:(?![' + cjk + '])[\\p{L}\\p{M}\\p{N}_])+|[^]', 'gu');
    function common(x, y) {
      var start = 0, end = 0, least = Math.min(x.length, y.length);
      while (start < least && x[start] === y[start]) start++;
      while (end < least - start && x[x.length - 1 - end] === y[y.length - 1 - end]) end++;
      var n = x.length - start - end, m = y.length - start - end;
      var mine = new Uint8Array(x.length).fill(1), theirs = new Uint8Array(y.length).fill(1);
      mine.fill(0, start, start + n); theirs.fill(0, start, start + m);
      if (n > MOST || m > MOST) return [mine, theirs];
      var table = new Uint16Array((n + 1) * (m + 1)), wide = m + 1, i, j;
      for (i = n - 1; i >= 0; i--) for (j = m - 1; j >= 0; j--) {
        table[i * wide + j] = x[start + i] === y[start + j] ? table[(i + 1) * wide + j + 1] + 1
          : Math.max(table[(i + 1) * wide + j], table[i * wide + j + 1]);
      }
      for (i = 0, j = 0; i < n && j < m;) {
        if (x[start + i] === y[start + j]) { mine[start + i++] = 1; theirs[start + j++] = 1; }
        else if (table[(i + 1) * wide + j] >= table[i * wide + j + 1]) i++; else j++;
      }
      return [mine, theirs];
    }
    // Texts with next to nothing in common are not the same text with changes: marks would only be in the way.
    function alike(words, same) {
      var all = 0, kept = 0;
      words.forEach(function (text, i) { if (text.trim()) { all++; kept += same[i]; } });
      return all === 0 || kept * 4 >= all;
    }
    function marked(body, words, same) {
      body.textContent = '';
      // A space between two words that differ belongs to them.
      for (var k = 1; k + 1 < words.length; k++) if (!words[k].trim() && !same[k - 1] && !same[k + 1]) same[k] = 0;
      for (var i = 0; i < words.length;) {
        var start = i, kind = same[i];
        while (i < words.length && same[i] === kind) i++;
        var run = words.slice(start, i).join('');
        body.appendChild(kind || !run.trim() ? document.createTextNode(run) : el('mark', '', run));
      }
    }

    function chip(c, i) {
      var pair = outcome(c, i);
      if (!pair) return null;
      var flip = flips(pair[0]), ok = c.agrees[i];
      var cls = flip ? ' flip' : ok === 'y' ? ' good' : ok === 'n' ? ' bad' : '';
      var mark = flip ? '⇄ ' : ok === 'y' ? '✓ ' : ok === 'n' ? '✕ ' : pair[0] === 'no_verdict' ? '∅ ' : '';
      var node = el('span', 'chip' + cls, mark + data.judges[c.judge]);
      node.title = pair[1];
      node.dataset.outcome = pair[0];
      return node;
    }
    function block(title, text, raw) {
      var box = el('div');
      add(box, title ? el('h3', '', title) : null);
      var body = el('pre', 'text' + (raw ? ' raw' : ''), text === undefined ? w.no_text : text);
      if (text === undefined) body.classList.add('dim');
      body.dir = 'auto';
      body.tabIndex = 0;
      body.setAttribute('role', 'group');
      body.setAttribute('aria-label', title || w.response);
      return add(box, body);
    }
    function response(i, t, letter) {
      var name = letter === 'a' ? t.ma : t.mb;
      var box = block('', letter === 'a' ? t.a : t.b);
      var head = el('h3');
      add(head, el('b', '', w.response + ' ' + letter.toUpperCase()));
      if (name) head.appendChild(document.createTextNode(' · ' + name));
      if (data.gold[i] === letter) head.appendChild(document.createTextNode(' · ✓ ' + w.gold));
      box.insertBefore(head, box.firstChild);
      box.lastChild.setAttribute('aria-label', head.textContent);
      box.dataset.side = letter;
      return box;
    }
    function pair(i, t) {
      var box = add(el('div', 'pair'), response(i, t, 'a'), response(i, t, 'b'));
      if (state.mark && t.a !== undefined && t.b !== undefined) {
        var both = [t.a, t.b].map(function (text) { return text.match(word) || []; });
        var same = common(both[0], both[1]);
        if (alike(both[0], same[0]) || alike(both[1], same[1])) [0, 1].forEach(function (k) { marked(box.children[k].lastChild, both[k], same[k]); });
      }
      return box;
    }
    function turn_of(letter, s, first, which) {
      var box = el('div');
      box.dataset.order = which;
      var head = el('h3', '', fill(w.shown_first, first) + ': ');
      add(head, el('b', '', letter === '-' ? w.no_text : data.readings[Number(letter)]));
      add(box, head);
      if (!s) return box;
      if (s.t !== undefined) { var raw = block('', s.t, true); raw.lastChild.setAttribute('aria-label', w.raw); add(box, raw); }
      if (s.w !== undefined) add(box, el('p', 'note', s.w));
      if (s.h !== undefined) add(box, block(w.reasoning, s.h, true));
      return box;
    }
    function details(i) {
      var box = el('div', 'body'), t = texts && texts.get(i);
      var facts = [category(i) && w.category + ' ' + category(i), t && t.l && w.language + ' ' + t.l, t && t.g && w.group + ' ' + t.g,
        data.gold[i] !== '-' && w.gold + ' ' + side(data.gold[i])].filter(Boolean).join(' · ');
      if (facts) add(box, el('p', 'note', facts));
      if (!t) add(box, el('p', 'note left-out', texts ? w.text_left_out : w.loading));
      else {
        if (t.why) add(box, el('p', '', t.why));
        if (t.p === undefined && t.a === undefined && t.b === undefined) {
          add(box, el('p', 'note', w.prompt + ', ' + w.response + ' A, B: ' + w.no_text));
        } else add(box, block(w.prompt, t.p), pair(i, t));
      }
      var list = el('div', 'verdicts');
      columns.forEach(function (c, k) {
        var found = outcome(c, i);
        if (!found) return;
        var head = el('h3', 'judge', data.judges[c.judge] + (c.repeat ? ' #' + (c.repeat + 1) : ''));
        var chip = el('span', 'chip' + (flips(found[0]) ? ' flip' : ''), found[1]), ok = c.agrees[i];
        var agree = ok === '-' ? null : el('span', 'chip ' + (ok === 'y' ? 'good' : 'bad'), ok === 'y' ? '✓ ' + w.agrees : '✕ ' + w.disagrees);
        add(list, add(head, chip, agree));
        var both = (t && t.v[k]) || {};
        if (c.ab[i] !== '-' || c.ba[i] !== '-') {
          add(list, add(el('div', 'pair'), turn_of(c.ab[i], both.ab, 'A', 'ab'), turn_of(c.ba[i], both.ba, 'B', 'ba')));
        }
      });
      return add(box, list);
    }
    function row(i, index) {
      var box = el('div', 'item' + (index === state.at ? ' on' : ''));
      box.dataset.id = data.ids[i];
      box.dataset.index = i;
      var button = el('button'), open = state.open.has(i), t = texts && texts.get(i);
      button.type = 'button';
      button.setAttribute('aria-expanded', open ? 'true' : 'false');
      var id = el('span', 'id', data.ids[i]);
      var facts = [category(i), data.gold[i] !== '-' && w.gold + ' ' + side(data.gold[i])].filter(Boolean).join(' · ');
      if (facts) add(id, el('small', '', facts));
      var chips = el('span', 'chips');
      columns.forEach(function (c) { add(chips, chip(c, i)); });
      var line = t && t.p !== undefined ? el('span', 'line', t.p.slice(0, 300)) : null;
      if (line) line.dir = 'auto';
      add(button, id, chips, line);
      button.addEventListener('click', function () {
        state.at = index;
        if (!state.open.delete(i)) state.open.add(i);
        draw();
      });
      add(box, button);
      if (open) add(box, details(i));
      return box;
    }

    var tools = el('div', 'tools'), list = el('div'), pager = el('nav', 'pager');
    tools.setAttribute('role', 'search');
    list.id = 'rows';
    pager.id = 'pager';
    pager.setAttribute('aria-label', w.items);
    function button(id, text, label, press) {
      var node = el('button', '', text);
      node.type = 'button';
      node.id = id;
      if (label) node.setAttribute('aria-label', label);
      node.addEventListener('click', press);
      return node;
    }
    function last() { return Math.max(0, Math.ceil(found.length / PAGE) - 1); }
    var first = button('page-first', '⇤', w.first_page, function () { turn(0); });
    var previous = button('page-previous', '← ' + w.previous, '', function () { turn(state.page - 1); });
    var next = button('page-next', w.next + ' →', '', function () { turn(state.page + 1); });
    var end = button('page-last', '⇥', w.last_page, function () { turn(last()); });
    var where = el('span', 'dim');
    where.id = 'page-where';
    where.setAttribute('role', 'status');
    add(pager, first, previous, where, next, end);

    function draw() {
      state.page = Math.max(0, Math.min(state.page, last()));
      var start = state.page * PAGE, shown = found.slice(start, start + PAGE);
      state.at = Math.max(0, Math.min(state.at, shown.length - 1));
      // The rows are made anew; whoever was in the list stays in it.
      var inside = list.contains(document.activeElement);
      list.textContent = '';
      shown.forEach(function (i, index) { add(list, row(i, index)); });
      if (!shown.length) add(list, el('p', 'note', w.no_match));
      if (inside && shown.length) list.children[state.at].firstChild.focus({ preventScroll: true });
      where.textContent = shown.length ? number(start + 1) + '–' + number(start + shown.length) + ' ' + w.of + ' ' + number(found.length) : '0';
      first.disabled = previous.disabled = state.page === 0;
      end.disabled = next.disabled = state.page === last();
      host.dataset.found = found.length;
      host.dataset.page = state.page + 1;
    }
    function search() {
      hay = hay || new Array(N);
      found = set.filter(matches);
      var key = keys[state.sort];
      if (key) {
        var by = new Map(found.map(function (i) { return [i, key(i)]; }));
        found.sort(function (x, y) { return by.get(x) - by.get(y) || x - y; });
      }
      state.page = 0; state.at = 0;
      draw();
    }
    function turn(to) {
      var pressed = document.activeElement;
      state.page = to; state.at = 0;
      draw();
      // A button that has nowhere left to go passes the focus to its opposite.
      if (pressed.disabled && pager.contains(pressed)) (next.disabled ? previous : next).focus();
    }
    function select(id, options, change, label) {
      var node = el('select');
      node.id = id;
      node.setAttribute('aria-label', label);
      options.forEach(function (option) { var o = el('option', '', option[1]); o.value = option[0]; add(node, o); });
      node.addEventListener('change', function () { change(node.value); search(); });
      return node;
    }
    function listed(all, names) { return [['', all]].concat(names.map(function (name, i) { return [i, name]; })); }

    var box = el('input');
    box.type = 'search';
    box.id = 'search';
    box.placeholder = w.search;
    box.setAttribute('aria-label', w.search);
    var timer;
    box.addEventListener('input', function () {
      clearTimeout(timer);
      timer = setTimeout(function () { state.query = box.value.toLowerCase(); search(); }, 120);
    });
    add(tools, box, select('filter', [['all', w.filter_all], ['flips', w.filter_flips], ['disagree', w.filter_disagree], ['none', w.filter_none], ['texts', w.only_texts]],
      function (value) { state.filter = value; }, w.show));
    if (data.judges.length > 1) add(tools, select('filter-judge', listed(w.any_judge, data.judges),
      function (value) { state.judge = value === '' ? -1 : Number(value); }, w.judge));
    if (data.categories.length > 1) add(tools, select('filter-category', listed(w.any_category, data.categories),
      function (value) { state.category = value; }, w.category));
    if (/[abt]/.test(data.gold)) add(tools, select('filter-label', [['', w.any_label], ['a', 'A'], ['b', 'B'], ['t', w.tie], ['-', w.no_label]],
      function (value) { state.label = value; }, w.gold));
    add(tools, select('sort', [['set', w.sort_set], ['telling', w.sort_telling], ['category', w.sort_category], ['label', w.sort_label]],
      function (value) { state.sort = value; }, w.sort));
    var mark = el('input'), wrap = el('label', 'check');
    mark.type = 'checkbox';
    mark.id = 'differences';
    mark.checked = true;
    mark.addEventListener('change', function () { state.mark = mark.checked; draw(); });
    add(wrap, mark);
    wrap.appendChild(document.createTextNode(w.differences));
    add(tools, wrap);

    document.addEventListener('keydown', function (event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
      if (event.key === 'Escape' && typing) { event.target.blur(); return; }
      if (typing) return;
      if (event.key === '/') { event.preventDefault(); box.focus(); return; }
      var step = { j: 1, k: -1 }[event.key];
      // Inside a text the arrows scroll it.
      var on_row = document.activeElement.parentNode && document.activeElement.parentNode.classList.contains('item');
      if (on_row && event.key === 'ArrowDown') step = 1;
      if (on_row && event.key === 'ArrowUp') step = -1;
      if (step) {
        event.preventDefault();
        state.at += step;
        draw();
        var on = list.children[state.at];
        if (on && on.firstChild.focus) { on.firstChild.focus({ preventScroll: true }); on.scrollIntoView({ block: 'nearest' }); }
      }
      if (event.key === 'n' && !next.disabled) turn(state.page + 1);
      if (event.key === 'p' && !previous.disabled) turn(state.page - 1);
    });

    add(host, tools, el('p', 'keys', w.keys), list, pager);
    host.dataset.total = N;
    draw();
    host.dataset.state = 'verdicts';
    host.dataset.ms = Math.round(performance.now());
    // The list stands; texts come in after the browser has painted it.
    setTimeout(function () {
      unpack('texts').then(function (all) {
        texts = new Map(all.map(function (t) { return [t.i, t]; }));
        hay = new Array(N);
        host.dataset.texts = all.length;
        if (state.query || state.filter === 'texts') search(); else draw();
        host.dataset.state = 'ready';
      });
    }, 0);
  }
})();
