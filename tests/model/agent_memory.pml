/* SPDX-License-Identifier: MIT */
/*
 * A model of the memory that an agent shares with tracers (abi/agent_ring.h, span_ring.h): two
 * tracers, one of which may be killed at any step, and a process with two threads that forks and
 * exits. Variables and steps have the names of the code's. scripts/model checks it.
 *
 * One step is one access to what is shared; what stands in an atomic block touches nothing that another
 * process changes in between, or is one system call. A chunk has room for one record.
 *
 * What must hold: see the assertions.
 *   writer        no two tracers write at a time
 *   names         no record is read by a number that means another function to the reader
 *   chunks        no two threads write to one chunk, and no child to its parent's memory
 *   Quiet         at the end nobody has a claim, and the agent is dormant
 * and no process waits for ever, which Spin finds by itself (invalid end states).
 *
 * FAULT_...: deliberate mistakes, each of which Spin must find.
 * NODE: the second tracer is a recorder of the node, which gives way to the first one.
 */
#ifndef CALLS
#define CALLS 2 /* of a thread */
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef FUNCTIONS
#define FUNCTIONS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1 /* of a tracer, before its last one */
#endif
#ifndef EVENTS
#define EVENTS 1
#endif
#define CHUNKS	  2
#define NONE	  15

/* ---- locks of the memory's file; the kernel releases those of who dies ---- */
byte claim, claim_first; /* RT_AGENT_CLAIM, RT_AGENT_CLAIM_FIRST: the tracer, 0: nobody */
bool killed[3];
byte writer; /* who has the right to write, for the assertions */

/* ---- struct rt_agent_control, struct rt_spans_control ---- */
bool control_active, beating[3]; /* beating: control.heartbeat changes, by that tracer */
bool wanted, generation; /* generation: it has changed since the agent has looked */
byte count, functions[4];
bool function_wanted[4];

/* ---- the agent: call_stubs.c ---- */
bool capture; /* stubs_capture() */
byte known, stubs[4];
bool stubs_wanted[4];
bool exited;

/* ---- struct rt_span_thread, struct rt_span_chunk ---- */
byte listed[THREADS], read[THREADS], list[THREADS * 4];
bool taken[CHUNKS], closed[CHUNKS], used[CHUNKS]; /* taken: owned[] */
byte func[CHUNKS], called[CHUNKS], of_thread[CHUNKS];
byte writes[CHUNKS]; /* the thread that has it as its own, for the assertions */

/* ================ the traced process ================ */

inline take_new()
{
	do
	:: known < count -> stubs[known] = functions[known]; known++
	:: else -> break
	od
}

#ifdef FAULT_NO_HEARTBEAT
#define ATTENDED (control_active)
#else
#define ATTENDED (control_active && (beating[1] || beating[2])) /* is_attended() */
#endif

/* reaper.c: round_once, follow_calls; call_stubs.c: stubs_follow */
active proctype Agent()
{
	bool on;
	byte i;

end:	do
	:: exited -> break
	:: !exited && (generation || (ATTENDED && wanted) != capture) ->
		generation = false;
		on = ATTENDED && wanted;
		atomic { take_new() };
		atomic { /* want() */
			for (i : 0 .. 3) {
				stubs_wanted[i] = on && i < known && function_wanted[i]
			}
			i = 0
		};
		atomic { capture = on; on = false }
	od
}

/* call_spans.c: take_chunk, emit */
inline write_record(t, number, f)
{
	atomic { /* find_chunk: a compare-and-swap */
		do
		:: c < CHUNKS && !taken[c] -> taken[c] = true; break
		:: c < CHUNKS && taken[c] -> c++
		:: c >= CHUNKS -> break
		od
	};
	if
	:: c < CHUNKS ->
		if
		:: mine != NONE -> atomic { closed[mine] = true; writes[mine] = NONE }
		:: else
		fi;
		atomic {
			assert(writes[c] == NONE); /* chunks */
			writes[c] = t; mine = c;
			closed[c] = false; used[c] = false;
			list[t * 4 + listed[t]] = c
		};
		listed[t]++;
		atomic {
			assert(writes[mine] == t); /* chunks */
			func[mine] = number; called[mine] = f;
			of_thread[mine] = t;
			used[mine] = true
		}
	:: else /* the record is lost, and counted */
	fi
}

/* call_stubs.c: stubs_enter, stubs_leave */
proctype Thread(byte t)
{
	byte calls, c, mine = NONE, number, f;

	{
		do
		:: calls < CALLS ->
			atomic { /* the stub that stands for it, for good */
				calls++;
				if
				:: f = 0
				:: FUNCTIONS > 1 -> f = 1
				fi;
				number = 0;
				do
				:: number < known && !(stubs[number] == f && stubs_wanted[number]) -> number++
				:: number == known -> number = NONE; break
				:: else -> break
				od
			};
			if
			:: number != NONE -> write_record(t, number, f)
			:: else /* its probe serves */
			fi;
			atomic { c = 0; number = 0; f = 0 }
		:: else -> break
		od;
		if
		:: mine != NONE -> atomic { closed[mine] = true; writes[mine] = NONE } /* leave */
		:: else
		fi
	} unless { exited };
	atomic { calls = 0; c = 0; mine = 0; number = 0; f = 0 }
}

/* agent.c: forked(), in a child: the parent's memory is out of its reach before it runs other code. */
inline fork_a_child()
{
#ifdef FAULT_CHILD_WRITES
	assert(listed[0] == 0) /* chunks: to its parent's */
#else
	skip
#endif
}

/* ================ tracers ================ */

/* Every write of a tracer: it is the only one. */
#ifdef NAMES_ALONE /* what several writers lead to */
#define WRITES	    skip
#define BEGIN_WRITE skip
#else
#define WRITES	    assert(writer == id)
#define BEGIN_WRITE assert(writer == 0); writer = id
#endif

/* agent_calls.c: read_next; what is read is a copy */
inline read_next(t)
{
	atomic { i = list[t * 4 + read[t]]; was_closed = closed[i] || exited };
	if
	:: used[i] ->
		atomic {
			number = func[i];
			if
			:: mine[number] != NONE -> assert(mine[number] == called[i]) /* names */
			:: else /* for a tracer that was there before, and wanted more */
			fi;
			assert(of_thread[i] == t); /* chunks */
			number = 0
		}
	:: else
	fi;
	if
	:: was_closed ->
#ifdef FAULT_FREE_FIRST
		atomic { WRITES; taken[i] = false };
		atomic { WRITES; read[t]++ }
#else
		atomic { WRITES; read[t]++ };
		atomic { WRITES; taken[i] = false } /* set_free */
#endif
	:: else
	fi;
	atomic { i = 0; was_closed = false }
}

/* agent_calls.c: agent_spans__add, number_for */
inline add_function(f)
{
	atomic {
		number = 0;
		do
		:: number < my_count && functions[number] != f -> number++
		:: else -> break
		od;
		WRITES; mine[number] = f; functions[number] = f; function_wanted[number] = true
	};
	atomic {
		if
		:: number == my_count -> my_count++; WRITES; count = my_count
		:: else
		fi;
		number = 0
	}
}

/* agent_claim.c: claim__take, of a tracer that was started for the process */
inline take_first()
{
#ifdef FAULT_CHECK_THEN_ACT
	skip
#else
	atomic { claim_first == 0 -> claim_first = id }
#endif
}

inline take_claim()
{
#ifdef FAULT_CHECK_THEN_ACT
	claim == 0;
	claim = id
#else
	atomic { claim == 0 -> claim = id }
#endif
}

/* The kernel: the descriptor and the mapping are gone. */
inline release()
{
	atomic {
		beating[id] = false;
		if
		:: writer == id -> writer = 0
		:: else
		fi;
#ifdef FAULT_CLAIM_IN_MEMORY
		if
		:: claim == id && !killed[id] -> claim = 0
		:: else
		fi;
#else
		if
		:: claim == id -> claim = 0
		:: else
		fi;
#endif
		if
		:: claim_first == id -> claim_first = 0
		:: else
		fi
	}
}

#ifdef NODE
#define OF_NODE(id) (id == 2)
#else
#define OF_NODE(id) false
#endif

proctype Tracer(byte id)
{
	byte my_count, number, i, t, rounds, mine[4];
	bool was_closed;

	{
		atomic { mine[0] = NONE; mine[1] = NONE; mine[2] = NONE; mine[3] = NONE };
		/* agent__find: mapped for reading; by the parent or by its child, it is one file */
		if
		:: OF_NODE(id) -> claim_first == 0; take_claim()
		:: else -> take_first(); take_claim()
		fi;
		atomic { BEGIN_WRITE }; /* writer */
		/* agent_spans__new */
		atomic {
			WRITES; my_count = count;
			for (i : 0 .. 3) { function_wanted[i] = false }
			i = 0; wanted = false; generation = true
		};
		/* capture_libraries: each finds the functions in an order of its own */
		if
		:: id == 1 && FUNCTIONS > 1 -> add_function(0); add_function(1)
		:: else -> add_function(FUNCTIONS - 1)
		fi;
		atomic { WRITES; wanted = true; generation = true };
		/* agent__activate */
		atomic { WRITES; control_active = true; beating[id] = true };
		/* agents__drain, round by round; agents__stop, or gives_way */
		do
		:: rounds < ROUNDS -> rounds++;
			t = 0;
			do
			:: t < THREADS ->
				if
				:: read[t] != listed[t] -> read_next(t)
				:: else
				fi;
				t++
			:: else -> break
			od
		:: !OF_NODE(id) || claim_first != 0 || rounds == ROUNDS -> break
		od;
		atomic { WRITES; control_active = false; beating[id] = false };
		!capture || exited; /* wait_state, has_yielded */
		t = 0;
		do
		:: t < THREADS && read[t] != listed[t] -> read_next(t); t++
		:: t < THREADS && read[t] == listed[t] -> t++
		:: t >= THREADS -> break
		od
	} unless { killed[id] };
	release(); /* agent__close, or death */
	atomic {
		my_count = 0; number = 0; i = 0; t = 0; rounds = 0; was_closed = false;
		mine[0] = 0; mine[1] = 0; mine[2] = 0; mine[3] = 0
	}
}

/* What happens at any moment. EVENTS: how often. */
active proctype Fate()
{
	byte n;

	do
	:: n < EVENTS -> n++;
		if
		:: killed[1] = true
#ifndef FAULT_FREE_FIRST /* that takes a tracer that dies */
		:: killed[2] = true
		:: exited = true
		:: fork_a_child()
#endif
		fi
	:: break
	od
}

active proctype Quiet()
{
	timeout;
	assert(claim == 0 && claim_first == 0 && writer == 0);
	assert(exited || !capture)
}

init
{
	byte n;

	atomic {
		for (n : 0 .. CHUNKS - 1) { writes[n] = NONE }
		for (n : 0 .. THREADS - 1) { run Thread(n) }
		run Tracer(1);
		run Tracer(2)
	}
}
