-- SPDX-License-Identifier: MIT
-- The tables and views of rocpd, version 3 of its schema; see rocpd.md. {u} stands for what the names of a trace's
-- tables end with, {g} for its guid.

CREATE TABLE rocpd_metadata{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	tag TEXT NOT NULL,
	value TEXT NOT NULL
);

CREATE TABLE rocpd_string{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	string TEXT NOT NULL UNIQUE
);

CREATE TABLE rocpd_info_node{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	hash BIGINT NOT NULL UNIQUE,
	machine_id TEXT NOT NULL UNIQUE,
	system_name TEXT,
	hostname TEXT,
	release TEXT,
	version TEXT,
	hardware_name TEXT,
	domain_name TEXT
);

CREATE TABLE rocpd_info_process{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	ppid INTEGER,
	pid INTEGER NOT NULL,
	init BIGINT,
	fini BIGINT,
	start BIGINT,
	"end" BIGINT,
	command TEXT,
	environment JSONB DEFAULT '{}' NOT NULL,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_info_thread{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	ppid INTEGER,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	tid INTEGER NOT NULL,
	name TEXT,
	start BIGINT,
	"end" BIGINT,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_info_agent{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	type TEXT CHECK (type IN ('CPU', 'GPU')),
	absolute_index INTEGER,
	logical_index INTEGER,
	type_index INTEGER,
	uuid INTEGER,
	name TEXT,
	model_name TEXT,
	vendor_name TEXT,
	product_name TEXT,
	user_name TEXT,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_info_queue{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	name TEXT,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_info_stream{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	name TEXT,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_info_pmc{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	agent_id INTEGER REFERENCES rocpd_info_agent{u} (id) ON UPDATE CASCADE,
	target_arch TEXT CHECK (target_arch IN ('CPU', 'GPU')),
	event_code INT,
	instance_id INTEGER,
	name TEXT NOT NULL,
	symbol TEXT NOT NULL,
	description TEXT,
	long_description TEXT DEFAULT '',
	component TEXT,
	units TEXT DEFAULT '',
	value_type TEXT CHECK (value_type IN ('ABS', 'ACCUM', 'RELATIVE')),
	block TEXT,
	expression TEXT,
	is_constant INTEGER,
	is_derived INTEGER,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_info_code_object{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	agent_id INTEGER REFERENCES rocpd_info_agent{u} (id) ON UPDATE CASCADE,
	uri TEXT,
	load_base BIGINT,
	load_size BIGINT,
	load_delta BIGINT,
	storage_type TEXT CHECK (storage_type IN ('FILE', 'MEMORY')),
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_info_kernel_symbol{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	code_object_id INTEGER NOT NULL REFERENCES rocpd_info_code_object{u} (id) ON UPDATE CASCADE,
	kernel_name TEXT,
	display_name TEXT,
	kernel_object INTEGER,
	kernarg_segment_size INTEGER,
	kernarg_segment_alignment INTEGER,
	group_segment_size INTEGER,
	private_segment_size INTEGER,
	sgpr_count INTEGER,
	arch_vgpr_count INTEGER,
	accum_vgpr_count INTEGER,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_track{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	tid INTEGER REFERENCES rocpd_info_thread{u} (id) ON UPDATE CASCADE,
	name_id INTEGER REFERENCES rocpd_string{u} (id) ON UPDATE CASCADE,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_event{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	category_id INTEGER REFERENCES rocpd_string{u} (id) ON UPDATE CASCADE,
	stack_id INTEGER,
	parent_stack_id INTEGER,
	correlation_id INTEGER,
	call_stack JSONB DEFAULT '{}' NOT NULL,
	line_info JSONB DEFAULT '{}' NOT NULL,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_arg{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	event_id INTEGER NOT NULL REFERENCES rocpd_event{u} (id) ON UPDATE CASCADE,
	position INTEGER NOT NULL,
	type TEXT NOT NULL,
	name TEXT NOT NULL,
	value TEXT,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_pmc_event{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	event_id INTEGER REFERENCES rocpd_event{u} (id) ON UPDATE CASCADE,
	pmc_id INTEGER NOT NULL REFERENCES rocpd_info_pmc{u} (id) ON UPDATE CASCADE,
	value REAL DEFAULT 0.0,
	extdata JSONB DEFAULT '{}'
);

CREATE TABLE rocpd_region{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	tid INTEGER NOT NULL REFERENCES rocpd_info_thread{u} (id) ON UPDATE CASCADE,
	start BIGINT NOT NULL,
	"end" BIGINT NOT NULL,
	name_id INTEGER NOT NULL REFERENCES rocpd_string{u} (id) ON UPDATE CASCADE,
	event_id INTEGER REFERENCES rocpd_event{u} (id) ON UPDATE CASCADE,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_sample{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	track_id INTEGER NOT NULL REFERENCES rocpd_track{u} (id) ON UPDATE CASCADE,
	timestamp BIGINT NOT NULL,
	event_id INTEGER REFERENCES rocpd_event{u} (id) ON UPDATE CASCADE,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_kernel_dispatch{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	tid INTEGER REFERENCES rocpd_info_thread{u} (id) ON UPDATE CASCADE,
	agent_id INTEGER NOT NULL REFERENCES rocpd_info_agent{u} (id) ON UPDATE CASCADE,
	kernel_id INTEGER NOT NULL REFERENCES rocpd_info_kernel_symbol{u} (id) ON UPDATE CASCADE,
	dispatch_id INTEGER NOT NULL,
	queue_id INTEGER NOT NULL REFERENCES rocpd_info_queue{u} (id) ON UPDATE CASCADE,
	stream_id INTEGER NOT NULL REFERENCES rocpd_info_stream{u} (id) ON UPDATE CASCADE,
	start BIGINT NOT NULL,
	"end" BIGINT NOT NULL,
	private_segment_size INTEGER,
	group_segment_size INTEGER,
	workgroup_size_x INTEGER NOT NULL,
	workgroup_size_y INTEGER NOT NULL,
	workgroup_size_z INTEGER NOT NULL,
	grid_size_x INTEGER NOT NULL,
	grid_size_y INTEGER NOT NULL,
	grid_size_z INTEGER NOT NULL,
	region_name_id INTEGER REFERENCES rocpd_string{u} (id) ON UPDATE CASCADE,
	event_id INTEGER REFERENCES rocpd_event{u} (id) ON UPDATE CASCADE,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_memory_copy{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	tid INTEGER REFERENCES rocpd_info_thread{u} (id) ON UPDATE CASCADE,
	start BIGINT NOT NULL,
	"end" BIGINT NOT NULL,
	name_id INTEGER NOT NULL REFERENCES rocpd_string{u} (id) ON UPDATE CASCADE,
	dst_agent_id INTEGER REFERENCES rocpd_info_agent{u} (id) ON UPDATE CASCADE,
	dst_address INTEGER,
	src_agent_id INTEGER REFERENCES rocpd_info_agent{u} (id) ON UPDATE CASCADE,
	src_address INTEGER,
	size INTEGER NOT NULL,
	queue_id INTEGER REFERENCES rocpd_info_queue{u} (id) ON UPDATE CASCADE,
	stream_id INTEGER REFERENCES rocpd_info_stream{u} (id) ON UPDATE CASCADE,
	region_name_id INTEGER REFERENCES rocpd_string{u} (id) ON UPDATE CASCADE,
	event_id INTEGER REFERENCES rocpd_event{u} (id) ON UPDATE CASCADE,
	extdata JSONB DEFAULT '{}' NOT NULL
);

CREATE TABLE rocpd_memory_allocate{u} (
	id INTEGER NOT NULL PRIMARY KEY,
	guid TEXT DEFAULT '{g}' NOT NULL,
	nid INTEGER NOT NULL REFERENCES rocpd_info_node{u} (id) ON UPDATE CASCADE,
	pid INTEGER NOT NULL REFERENCES rocpd_info_process{u} (id) ON UPDATE CASCADE,
	tid INTEGER REFERENCES rocpd_info_thread{u} (id) ON UPDATE CASCADE,
	agent_id INTEGER REFERENCES rocpd_info_agent{u} (id) ON UPDATE CASCADE,
	type TEXT CHECK (type IN ('ALLOC', 'FREE', 'REALLOC', 'RECLAIM')),
	level TEXT CHECK (level IN ('REAL', 'VIRTUAL', 'SCRATCH')),
	start BIGINT NOT NULL,
	"end" BIGINT NOT NULL,
	address INTEGER,
	size INTEGER NOT NULL,
	queue_id INTEGER REFERENCES rocpd_info_queue{u} (id) ON UPDATE CASCADE,
	stream_id INTEGER REFERENCES rocpd_info_stream{u} (id) ON UPDATE CASCADE,
	event_id INTEGER REFERENCES rocpd_event{u} (id) ON UPDATE CASCADE,
	extdata JSONB DEFAULT '{}' NOT NULL
);

-- Each table by its plain name.
CREATE VIEW rocpd_metadata AS SELECT * FROM rocpd_metadata{u};
CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string{u};
CREATE VIEW rocpd_info_node AS SELECT * FROM rocpd_info_node{u};
CREATE VIEW rocpd_info_process AS SELECT * FROM rocpd_info_process{u};
CREATE VIEW rocpd_info_thread AS SELECT * FROM rocpd_info_thread{u};
CREATE VIEW rocpd_info_agent AS SELECT * FROM rocpd_info_agent{u};
CREATE VIEW rocpd_info_queue AS SELECT * FROM rocpd_info_queue{u};
CREATE VIEW rocpd_info_stream AS SELECT * FROM rocpd_info_stream{u};
CREATE VIEW rocpd_info_pmc AS SELECT * FROM rocpd_info_pmc{u};
CREATE VIEW rocpd_info_code_object AS SELECT * FROM rocpd_info_code_object{u};
CREATE VIEW rocpd_info_kernel_symbol AS SELECT * FROM rocpd_info_kernel_symbol{u};
CREATE VIEW rocpd_track AS SELECT * FROM rocpd_track{u};
CREATE VIEW rocpd_event AS SELECT * FROM rocpd_event{u};
CREATE VIEW rocpd_arg AS SELECT * FROM rocpd_arg{u};
CREATE VIEW rocpd_pmc_event AS SELECT * FROM rocpd_pmc_event{u};
CREATE VIEW rocpd_region AS SELECT * FROM rocpd_region{u};
CREATE VIEW rocpd_sample AS SELECT * FROM rocpd_sample{u};
CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch{u};
CREATE VIEW rocpd_memory_copy AS SELECT * FROM rocpd_memory_copy{u};
CREATE VIEW rocpd_memory_allocate AS SELECT * FROM rocpd_memory_allocate{u};

CREATE VIEW code_objects AS
	SELECT C.id, C.guid, C.nid, P.pid, A.absolute_index AS agent_abs_index, C.uri, C.load_base, C.load_size,
		C.load_delta, C.storage_type AS storage_type_str, JSON_EXTRACT(C.extdata, '$.size') AS code_object_size,
		JSON_EXTRACT(C.extdata, '$.storage_type') AS storage_type,
		JSON_EXTRACT(C.extdata, '$.memory_base') AS memory_base,
		JSON_EXTRACT(C.extdata, '$.memory_size') AS memory_size
	FROM rocpd_info_code_object C
	JOIN rocpd_info_agent A ON A.id = C.agent_id AND A.guid = C.guid
	JOIN rocpd_info_process P ON P.id = C.pid AND P.guid = C.guid;

CREATE VIEW kernel_symbols AS
	SELECT S.id, S.guid, S.nid, P.pid, S.code_object_id, S.kernel_name, S.display_name, S.kernel_object,
		S.kernarg_segment_size, S.kernarg_segment_alignment, S.group_segment_size, S.private_segment_size,
		S.sgpr_count, S.arch_vgpr_count, S.accum_vgpr_count,
		JSON_EXTRACT(S.extdata, '$.size') AS kernel_symbol_size,
		JSON_EXTRACT(S.extdata, '$.kernel_id') AS kernel_id,
		JSON_EXTRACT(S.extdata, '$.kernel_code_entry_byte_offset') AS kernel_code_entry_byte_offset,
		JSON_EXTRACT(S.extdata, '$.formatted_kernel_name') AS formatted_kernel_name,
		JSON_EXTRACT(S.extdata, '$.demangled_kernel_name') AS demangled_kernel_name,
		JSON_EXTRACT(S.extdata, '$.truncated_kernel_name') AS truncated_kernel_name,
		JSON_EXTRACT(S.extdata, '$.kernel_address.handle') AS kernel_address
	FROM rocpd_info_kernel_symbol S
	JOIN rocpd_info_process P ON P.id = S.pid AND P.guid = S.guid;

CREATE VIEW processes AS
	SELECT N.id AS nid, N.machine_id, N.system_name, N.hostname, N.release AS system_release,
		N.version AS system_version, P.guid, P.ppid, P.pid, P.init, P.start, P."end", P.fini, P.command
	FROM rocpd_info_process P
	JOIN rocpd_info_node N ON N.id = P.nid AND N.guid = P.guid;

CREATE VIEW threads AS
	SELECT N.id AS nid, N.machine_id, N.system_name, N.hostname, N.release AS system_release,
		N.version AS system_version, P.guid, P.ppid, P.pid, T.tid, T.start, T."end", T.name
	FROM rocpd_info_thread T
	JOIN rocpd_info_process P ON P.id = T.pid AND P.guid = T.guid
	JOIN rocpd_info_node N ON N.id = T.nid AND N.guid = T.guid;

CREATE VIEW regions AS
	SELECT R.id, R.guid, (SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		S.string AS name, R.nid, P.pid, T.tid, R.start, R."end", R."end" - R.start AS duration, R.event_id,
		E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id, E.extdata, E.call_stack, E.line_info
	FROM rocpd_region R
	JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid
	JOIN rocpd_string S ON S.id = R.name_id AND S.guid = R.guid
	JOIN rocpd_info_process P ON P.id = R.pid AND P.guid = R.guid
	JOIN rocpd_info_thread T ON T.id = R.tid AND T.guid = R.guid;

CREATE VIEW region_args AS
	SELECT R.id, R.guid, R.nid, P.pid, A.type, A.name, A.value
	FROM rocpd_region R
	JOIN rocpd_arg A ON A.event_id = R.event_id AND A.guid = R.guid
	JOIN rocpd_info_process P ON P.id = R.pid AND P.guid = R.guid;

CREATE VIEW samples AS
	SELECT S.id, S.guid, (SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		(SELECT string FROM rocpd_string WHERE id = K.name_id AND guid = K.guid) AS name, K.nid, P.pid, T.tid,
		S.timestamp, S.event_id, E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id, E.extdata,
		E.call_stack, E.line_info
	FROM rocpd_sample S
	JOIN rocpd_track K ON K.id = S.track_id AND K.guid = S.guid
	JOIN rocpd_event E ON E.id = S.event_id AND E.guid = S.guid
	JOIN rocpd_info_process P ON P.id = K.pid AND P.guid = K.guid
	JOIN rocpd_info_thread T ON T.id = K.tid AND T.guid = K.guid;

CREATE VIEW sample_regions AS
	SELECT S.id, S.guid, (SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		(SELECT string FROM rocpd_string WHERE id = K.name_id AND guid = K.guid) AS name, K.nid, P.pid, T.tid,
		S.timestamp AS start, S.timestamp AS "end", 0 AS duration, S.event_id, E.stack_id, E.parent_stack_id,
		E.correlation_id AS corr_id, E.extdata, E.call_stack, E.line_info
	FROM rocpd_sample S
	JOIN rocpd_track K ON K.id = S.track_id AND K.guid = S.guid
	JOIN rocpd_event E ON E.id = S.event_id AND E.guid = S.guid
	JOIN rocpd_info_process P ON P.id = K.pid AND P.guid = K.guid
	JOIN rocpd_info_thread T ON T.id = K.tid AND T.guid = K.guid;

CREATE VIEW regions_and_samples AS
	SELECT *
	FROM regions
	UNION ALL
	SELECT *
	FROM sample_regions;

CREATE VIEW kernels AS
	SELECT K.id, K.guid, T.tid,
		(SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		R.string AS region, S.display_name AS name, K.nid, P.pid, A.absolute_index AS agent_abs_index,
		A.logical_index AS agent_log_index, A.type_index AS agent_type_index, A.type AS agent_type,
		S.code_object_id, K.kernel_id, K.dispatch_id, K.stream_id, K.queue_id, Q.name AS queue,
		M.name AS stream, K.start, K."end", K."end" - K.start AS duration, K.grid_size_x AS grid_x,
		K.grid_size_y AS grid_y, K.grid_size_z AS grid_z, K.workgroup_size_x AS workgroup_x,
		K.workgroup_size_y AS workgroup_y, K.workgroup_size_z AS workgroup_z, K.group_segment_size AS lds_size,
		K.private_segment_size AS scratch_size, S.arch_vgpr_count AS vgpr_count, S.accum_vgpr_count,
		S.sgpr_count, S.group_segment_size AS static_lds_size, S.private_segment_size AS static_scratch_size,
		E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id
	FROM rocpd_kernel_dispatch K
	JOIN rocpd_info_agent A ON A.id = K.agent_id AND A.guid = K.guid
	JOIN rocpd_event E ON E.id = K.event_id AND E.guid = K.guid
	JOIN rocpd_string R ON R.id = K.region_name_id AND R.guid = K.guid
	JOIN rocpd_info_kernel_symbol S ON S.id = K.kernel_id AND S.guid = K.guid
	LEFT JOIN rocpd_info_stream M ON M.id = K.stream_id AND M.guid = K.guid
	LEFT JOIN rocpd_info_queue Q ON Q.id = K.queue_id AND Q.guid = K.guid
	JOIN rocpd_info_process P ON P.id = K.pid AND P.guid = K.guid
	JOIN rocpd_info_thread T ON T.id = K.tid AND T.guid = K.guid;

CREATE VIEW pmc_info AS
	SELECT I.id, I.guid, I.nid, P.pid, A.absolute_index AS agent_abs_index, I.is_constant, I.is_derived, I.name,
		I.description, I.block, I.expression
	FROM rocpd_info_pmc I
	JOIN rocpd_info_agent A ON A.id = I.agent_id AND A.guid = I.guid
	JOIN rocpd_info_process P ON P.id = I.pid AND P.guid = I.guid;

CREATE VIEW pmc_events AS
	SELECT V.id, V.guid, V.pmc_id, E.id AS event_id,
		(SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		(SELECT display_name FROM rocpd_info_kernel_symbol WHERE id = K.kernel_id AND guid = K.guid) AS name,
		K.nid, P.pid, K.dispatch_id, K.start, K."end", K."end" - K.start AS duration, I.name AS counter_name,
		V.value AS counter_value
	FROM rocpd_pmc_event V
	JOIN rocpd_info_pmc I ON I.id = V.pmc_id AND I.guid = V.guid
	JOIN rocpd_event E ON E.id = V.event_id AND E.guid = V.guid
	JOIN rocpd_kernel_dispatch K ON K.event_id = V.event_id AND K.guid = V.guid
	JOIN rocpd_info_process P ON P.id = K.pid AND P.guid = K.guid;

CREATE VIEW events_args AS
	SELECT E.id AS event_id,
		(SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category, E.stack_id,
		E.parent_stack_id, E.correlation_id, A.position AS arg_position, A.type AS arg_type, A.name AS arg_name,
		A.value AS arg_value, E.call_stack, E.line_info, A.extdata
	FROM rocpd_arg A
	JOIN rocpd_event E ON E.id = A.event_id AND E.guid = A.guid;

CREATE VIEW stream_args AS
	SELECT A.id AS argument_id, A.event_id, A.position AS arg_position, A.type AS arg_type, A.value AS arg_value,
		JSON_EXTRACT(A.extdata, '$.stream_id') AS stream_id, M.nid, P.pid, M.name AS stream_name, M.extdata
	FROM rocpd_arg A
	JOIN rocpd_info_stream M ON M.id = JSON_EXTRACT(A.extdata, '$.stream_id') AND M.guid = A.guid
	JOIN rocpd_info_process P ON P.id = M.pid AND P.guid = M.guid
	WHERE A.name = 'stream';

CREATE VIEW memory_copies AS
	SELECT C.id, C.guid, (SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		C.nid, P.pid, T.tid, C.start, C."end", C."end" - C.start AS duration, S.string AS name,
		R.string AS region_name, C.stream_id, C.queue_id, M.name AS stream_name, Q.name AS queue_name, C.size,
		D.name AS dst_device, D.absolute_index AS dst_agent_abs_index, D.logical_index AS dst_agent_log_index,
		D.type_index AS dst_agent_type_index, D.type AS dst_agent_type, C.dst_address, F.name AS src_device,
		F.absolute_index AS src_agent_abs_index, F.logical_index AS src_agent_log_index,
		F.type_index AS src_agent_type_index, F.type AS src_agent_type, C.src_address, E.stack_id,
		E.parent_stack_id, E.correlation_id AS corr_id
	FROM rocpd_memory_copy C
	JOIN rocpd_string S ON S.id = C.name_id AND S.guid = C.guid
	LEFT JOIN rocpd_string R ON R.id = C.region_name_id AND R.guid = C.guid
	JOIN rocpd_info_agent D ON D.id = C.dst_agent_id AND D.guid = C.guid
	JOIN rocpd_info_agent F ON F.id = C.src_agent_id AND F.guid = C.guid
	LEFT JOIN rocpd_info_queue Q ON Q.id = C.queue_id AND Q.guid = C.guid
	LEFT JOIN rocpd_info_stream M ON M.id = C.stream_id AND M.guid = C.guid
	JOIN rocpd_event E ON E.id = C.event_id AND E.guid = C.guid
	JOIN rocpd_info_process P ON P.id = C.pid AND P.guid = C.guid
	JOIN rocpd_info_thread T ON T.id = C.tid AND T.guid = C.guid;

CREATE VIEW memory_allocations AS
	SELECT X.id, X.guid, (SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		X.nid, P.pid, T.tid, X.start, X."end", X."end" - X.start AS duration, X.type, X.level,
		A.name AS agent_name, A.absolute_index AS agent_abs_index, A.logical_index AS agent_log_index,
		A.type_index AS agent_type_index, A.type AS agent_type, X.address, X.size, X.queue_id,
		Q.name AS queue_name, X.stream_id, M.name AS stream_name, E.stack_id, E.parent_stack_id,
		E.correlation_id AS corr_id
	FROM rocpd_memory_allocate X
	LEFT JOIN rocpd_info_agent A ON A.id = X.agent_id AND A.guid = X.guid
	LEFT JOIN rocpd_info_queue Q ON Q.id = X.queue_id AND Q.guid = X.guid
	LEFT JOIN rocpd_info_stream M ON M.id = X.stream_id AND M.guid = X.guid
	JOIN rocpd_event E ON E.id = X.event_id AND E.guid = X.guid
	JOIN rocpd_info_process P ON P.id = X.pid AND P.guid = X.guid
	JOIN rocpd_info_thread T ON T.id = X.tid AND T.guid = X.guid;

CREATE VIEW scratch_memory AS
	SELECT X.id, X.guid, X.nid, P.pid, X.type AS operation, A.name AS agent_name,
		A.absolute_index AS agent_abs_index, A.logical_index AS agent_log_index,
		A.type_index AS agent_type_index, A.type AS agent_type, X.queue_id, T.tid,
		JSON_EXTRACT(X.extdata, '$.flags') AS alloc_flags, X.start, X."end", X."end" - X.start AS duration,
		X.size, X.address, E.correlation_id, E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id,
		(SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category,
		E.extdata AS event_extdata
	FROM rocpd_memory_allocate X
	LEFT JOIN rocpd_info_agent A ON A.id = X.agent_id AND A.guid = X.guid
	JOIN rocpd_event E ON E.id = X.event_id AND E.guid = X.guid
	JOIN rocpd_info_process P ON P.id = X.pid AND P.guid = X.guid
	JOIN rocpd_info_thread T ON T.id = X.tid AND T.guid = X.guid
	WHERE X.level = 'SCRATCH'
	ORDER BY X.start;

CREATE VIEW counters_collection AS
	SELECT MIN(V.id) AS id, V.guid, K.dispatch_id, K.kernel_id, E.id AS event_id, E.correlation_id, E.stack_id,
		E.parent_stack_id, P.pid, T.tid, K.agent_id, A.absolute_index AS agent_abs_index,
		A.logical_index AS agent_log_index, A.type_index AS agent_type_index, A.type AS agent_type, K.queue_id,
		K.grid_size_x, K.grid_size_y, K.grid_size_z, K.grid_size_x * K.grid_size_y * K.grid_size_z AS grid_size,
		S.display_name AS kernel_name,
		(SELECT string FROM rocpd_string WHERE id = K.region_name_id AND guid = K.guid) AS kernel_region,
		K.workgroup_size_x, K.workgroup_size_y, K.workgroup_size_z,
		K.workgroup_size_x * K.workgroup_size_y * K.workgroup_size_z AS workgroup_size,
		K.group_segment_size AS lds_block_size, K.private_segment_size AS scratch_size,
		S.arch_vgpr_count AS vgpr_count, S.accum_vgpr_count, S.sgpr_count, I.name AS counter_name,
		I.symbol AS counter_symbol, I.component, I.description, I.block, I.expression, I.value_type,
		I.id AS counter_id, SUM(V.value) AS value, K.start, K."end", I.is_constant, I.is_derived,
		K."end" - K.start AS duration,
		(SELECT string FROM rocpd_string WHERE id = E.category_id AND guid = E.guid) AS category, K.nid,
		E.extdata, S.code_object_id
	FROM rocpd_pmc_event V
	JOIN rocpd_info_pmc I ON I.id = V.pmc_id AND I.guid = V.guid
	JOIN rocpd_event E ON E.id = V.event_id AND E.guid = V.guid
	JOIN rocpd_kernel_dispatch K ON K.event_id = V.event_id AND K.guid = V.guid
	JOIN rocpd_info_process P ON P.id = K.pid AND P.guid = K.guid
	JOIN rocpd_info_agent A ON A.id = K.agent_id AND A.guid = K.guid
	JOIN rocpd_info_kernel_symbol S ON S.id = K.kernel_id AND S.guid = K.guid
	JOIN rocpd_info_thread T ON T.id = K.tid AND T.guid = K.guid
	GROUP BY V.guid, K.dispatch_id, I.name, K.agent_id;

CREATE VIEW top_kernels AS
	WITH spent AS (SELECT S.display_name AS name, K."end" - K.start AS duration FROM rocpd_kernel_dispatch K JOIN rocpd_info_kernel_symbol S ON S.id = K.kernel_id AND S.guid = K.guid) SELECT name, COUNT(*) AS total_calls, SUM(duration) / 1000.0 AS total_duration, (SUM(duration) / COUNT(*)) / 1000.0 AS average, SUM(duration) * 100.0 / (SELECT SUM(duration) FROM spent) AS percentage
	FROM spent
	GROUP BY name
	ORDER BY total_duration DESC;

CREATE VIEW busy AS
	WITH operations AS (SELECT agent_id, guid, start, "end" FROM rocpd_kernel_dispatch
	UNION ALL
	SELECT dst_agent_id, guid, start,
		"end" FROM rocpd_memory_copy), whole AS (SELECT MAX("end") - MIN(start) AS WallTime FROM operations) SELECT O.agent_id, A.type, SUM(O."end" - O.start) AS GpuTime, WallTime, SUM(O."end" - O.start) * 1.0 / WallTime AS Busy
	FROM operations O
	CROSS JOIN whole
	JOIN rocpd_info_agent A ON A.id = O.agent_id AND A.guid = O.guid
	GROUP BY O.agent_id, O.guid;

CREATE VIEW top AS
	WITH spent AS (SELECT S.display_name AS name, K."end" - K.start AS duration FROM rocpd_kernel_dispatch K JOIN rocpd_info_kernel_symbol S ON S.id = K.kernel_id AND S.guid = K.guid
	UNION ALL
	SELECT S.string AS name,
		R."end" - R.start AS duration FROM rocpd_memory_copy R JOIN rocpd_string S ON S.id = R.name_id AND S.guid = R.guid
	UNION ALL
	SELECT S.string AS name,
		R."end" - R.start AS duration FROM rocpd_region R JOIN rocpd_string S ON S.id = R.name_id AND S.guid = R.guid) SELECT name, COUNT(*) AS total_calls, SUM(duration) / 1000.0 AS total_duration, (SUM(duration) / COUNT(*)) / 1000.0 AS average, SUM(duration) * 100.0 / (SELECT SUM(duration) FROM spent) AS percentage
	FROM spent
	GROUP BY name
	ORDER BY total_duration DESC;
